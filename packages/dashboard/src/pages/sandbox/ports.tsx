import { useQuery } from "@tanstack/react-query";
import { Cable, ExternalLink } from "lucide-react";
import { type SubmitEvent, useState } from "react";
import { closePort, portsQuery, publishPort } from "../../api/sandbox-network.ts";
import { Button } from "../../parts/button.tsx";
import { Input } from "../../parts/field.tsx";
import { EmptyState } from "../../parts/notes.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { Table } from "../../parts/table.tsx";
import { say } from "../../parts/toast.tsx";
import { useAction } from "../../parts/use-action.ts";
import { words } from "../../words/words.ts";

const { sandbox: text } = words;

/** Ports of this machine's loopback that lead inside. A preview is a tab of its own: it is not our page. */
export function Ports({ name }: { name: string }) {
  const query = useQuery(portsQuery(name));
  const [inside, setInside] = useState("");
  const publish = useAction((port: number) => publishPort(name, port), {
    onDone: ({ published }) => {
      say(text.publishedAt(addressOf(published)));
      setInside("");
    },
  });
  const close = useAction((port: number) => closePort(name, port), { done: text.closed });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    publish.mutate(Number(inside));
  };
  return (
    <>
      <form onSubmit={submit} className="mb-5 flex flex-wrap items-center gap-2">
        <p className="mr-auto max-w-120 text-soft">{text.publishLead}</p>
        <Input
          type="number"
          min={1}
          max={65_535}
          required
          value={inside}
          onChange={(event) => setInside(event.target.value)}
          placeholder={text.portExample}
          aria-label={text.inside}
          className="numbers max-w-28"
        />
        <Button type="submit" look="primary" busy={publish.isPending} disabled={inside === ""}>
          {text.publish}
        </Button>
      </form>
      <QueryView query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon={Cable} title={text.noPorts}>
              {text.noPortsHint}
            </EmptyState>
          ) : (
            <Table
              label={text.published}
              rows={items}
              keyOf={({ published }) => published}
              columns={[
                { title: text.inside, align: "right", className: "w-28", cell: (port) => port.inside },
                {
                  title: text.address,
                  cell: (port) => <Address {...port} />,
                },
                {
                  title: words.systemParts.actions,
                  align: "right",
                  cell: ({ published }) => (
                    <Button look="quiet" busy={close.isPending} onClick={() => close.mutate(published)}>
                      {text.close}
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </QueryView>
    </>
  );
}

/** One that is not open leads nowhere, or to another program. */
function Address({ published, open }: { published: number; open: boolean }) {
  const address = addressOf(published);
  if (!open)
    return (
      <span className="font-mono text-sm text-faint">
        {address} · {text.notOpen}
      </span>
    );
  return (
    <a
      href={address}
      target="_blank"
      rel="noreferrer noopener"
      className="inline-flex items-center gap-1.5 font-mono text-sm underline-offset-2 hover:underline"
    >
      {address}
      <ExternalLink aria-label={text.open} className="size-3.5 text-faint" />
    </a>
  );
}

/** By the other name of this machine than our page has: browsers send a page's cookies to all ports of its name. */
function addressOf(port: number): string {
  const name = window.location.hostname === "127.0.0.1" ? "localhost" : "127.0.0.1";
  return `http://${name}:${port}`;
}

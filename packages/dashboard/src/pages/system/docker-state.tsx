import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Hammer, RotateCw } from "lucide-react";
import { type ReactNode, useState } from "react";
import { type Docker, dockerQuery } from "../../api/docker.ts";
import { type BuildChoices, buildImage, imageBuildQuery } from "../../api/image-build.ts";
import { Button } from "../../parts/button.tsx";
import { Note, Remedy } from "../../parts/notes.tsx";
import { Card, Section } from "../../parts/page.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { StateBadge } from "../../parts/state-badge.tsx";
import { useAction } from "../../parts/use-action.ts";
import { words } from "../../words/words.ts";
import { BuildDialog } from "./build-dialog.tsx";
import { ImageBuildView } from "./image-build-view.tsx";

const { system } = words;

/** The engine, the image and the CLIs in it, what is missing, and the build that mends it. */
export function DockerState() {
  const { data: last, isPending } = useQuery(imageBuildQuery);
  const build = last?.build;
  const afterBuild = build?.state === "built" ? build.startedAt : null;
  const query = useQuery({
    ...dockerQuery(afterBuild),
    enabled: !isPending,
    placeholderData: keepPreviousData,
  });
  const [asking, setAsking] = useState(false);
  const begin = useAction(buildImage);
  const building = begin.isPending || build?.state === "building";
  const start = (choices: BuildChoices) => {
    setAsking(false);
    begin.mutate(choices);
  };
  const ready = query.data !== undefined && imageState(query.data) === "ready";
  return (
    <Section
      title={system.docker}
      beside={
        <div className="flex gap-2">
          <Button icon={RotateCw} busy={query.isFetching} onClick={() => void query.refetch()}>
            {system.look}
          </Button>
          {query.data?.engine && (
            <Button
              icon={Hammer}
              look={ready ? "plain" : "primary"}
              busy={building}
              onClick={() => setAsking(true)}
            >
              {ready ? system.rebuild : system.build}
            </Button>
          )}
        </div>
      }
    >
      {asking && <BuildDialog ready={ready} onClose={() => setAsking(false)} onBuild={start} />}
      {build && <ImageBuildView build={build} />}
      <QueryView query={query}>{(docker) => <DockerFacts docker={docker} />}</QueryView>
    </Section>
  );
}

function DockerFacts({ docker }: { docker: Docker }) {
  const { engine, image, agents, problems } = docker;
  const state = imageState(docker);
  return (
    <div className="flex flex-col gap-3">
      {problems.map(({ message, remedy }) => (
        <Note key={message} tone="blocked" title={message}>
          {remedy && <Remedy text={remedy} />}
        </Note>
      ))}
      <Card>
        <dl className="grid divide-y divide-line sm:grid-cols-2 sm:divide-x sm:divide-y-0">
          <div className="flex flex-col gap-2 p-4">
            <Fact title={system.engine}>
              {engine ? (
                <StateBadge state="done" label={engine.version} />
              ) : (
                <StateBadge state="failed" label={system.engineMissing} />
              )}
            </Fact>
            {engine && (
              <dd className="flex flex-col gap-1 text-xs text-faint">
                <code className="font-mono break-all">{engine.address}</code>
                <span>
                  {[engine.location, engine.rootless && system.engineRootless].filter(Boolean).join(" · ")}
                </span>
                <span>
                  {system.runtimes}: {engine.runtimes.join(", ")}
                </span>
              </dd>
            )}
          </div>
          <div className="flex flex-col gap-2 p-4">
            <Fact title={system.image}>
              <StateBadge {...imageBadges[state]} />
            </Fact>
            <dd className="flex flex-col gap-1 text-xs text-faint">
              <code className="font-mono break-all">{image}</code>
              {engine &&
                agents.map(({ agent, version }) => (
                  <span key={agent} className="flex justify-between gap-4">
                    <span>{agent}</span>
                    <span className="numbers font-mono text-ink">{version ?? system.cliMissing}</span>
                  </span>
                ))}
            </dd>
          </div>
        </dl>
      </Card>
    </div>
  );
}

function Fact({ title, children }: { title: string; children: ReactNode }) {
  return (
    <dt className="flex items-center justify-between gap-2">
      <span className="font-medium">{title}</span>
      {children}
    </dt>
  );
}

type ImageState = "ready" | "missing" | "incomplete" | "unknown";

const imageBadges: Readonly<Record<ImageState, { state: string; label: string }>> = {
  ready: { state: "done", label: system.imageReady },
  missing: { state: "blocked", label: system.imageMissing },
  incomplete: { state: "blocked", label: system.imageIncomplete },
  unknown: { state: "cancelled", label: system.notKnown },
};

function imageState({ engine, agents, problems }: Docker): ImageState {
  if (!engine) return "unknown";
  if (problems.some(({ code }) => code === "image_missing")) return "missing";
  return agents.every(({ version }) => version !== null) ? "ready" : "incomplete";
}

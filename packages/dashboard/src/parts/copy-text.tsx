import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { words } from "../words/words.ts";
import { Button } from "./button.tsx";

/** A text that is to be taken somewhere else, as a key or a command. */
export function CopyText({ text }: { text: string }) {
  const [copied, setCopied] = useState(false);
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      // Without the right to write there, it can still be selected.
      () => {},
    );
  return (
    <div className="flex items-center gap-2 rounded-md border border-line bg-sunken py-1.5 pr-1.5 pl-3">
      <code className="min-w-0 flex-1 font-mono text-xs break-all select-all">{text}</code>
      <Button
        look="quiet"
        icon={copied ? Check : Copy}
        label={copied ? words.common.copied : words.common.copy}
        onClick={copy}
      />
    </div>
  );
}

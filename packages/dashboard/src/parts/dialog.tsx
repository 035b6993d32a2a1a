import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { words } from "../words/words.ts";
import { Button, type ButtonProps } from "./button.tsx";
import { classes } from "./classes.ts";

interface DialogProps {
  open: boolean;
  onClose(): void;
  title: string;
  lead?: ReactNode;
  children?: ReactNode;
  /** What stands at the end: the buttons. */
  actions?: ReactNode;
  wide?: boolean;
}

/** Something that must be answered first. Escape and what lies behind it close it. */
export function Dialog({ open, onClose, title, lead, children, actions, wide }: DialogProps) {
  return (
    <Radix.Root open={open} onOpenChange={(now) => !now && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-veil" />
        <Radix.Content
          {...(lead ? {} : { "aria-describedby": undefined })}
          className={classes(
            "appearing fixed inset-x-4 top-[8vh] z-50 mx-auto flex max-h-[84vh] flex-col rounded-md border border-line bg-surface shadow-over",
            wide ? "max-w-180" : "max-w-120",
          )}
        >
          <div className="flex items-start justify-between gap-4 p-5 pb-0">
            <div>
              <Radix.Title className="text-lg font-semibold">{title}</Radix.Title>
              {lead && (
                <Radix.Description asChild>
                  <div className="mt-1 text-soft">{lead}</div>
                </Radix.Description>
              )}
            </div>
            <Radix.Close asChild>
              <Button look="quiet" icon={X} label={words.common.close} className="-mt-1 -mr-1" />
            </Radix.Close>
          </div>
          <div className="min-h-0 flex-1 overflow-y-auto p-5">{children}</div>
          {actions && (
            <div className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">{actions}</div>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

interface ConfirmProps {
  open: boolean;
  onClose(): void;
  title: string;
  lead: ReactNode;
  confirm: string;
  look?: ButtonProps["look"];
  busy?: boolean | undefined;
  onConfirm(): void;
}

/** For what cannot be undone: says what will happen, and asks once. */
export function Confirm({ confirm, look = "danger", busy, onConfirm, ...dialog }: ConfirmProps) {
  return (
    <Dialog
      {...dialog}
      actions={
        <>
          <Button onClick={dialog.onClose}>{words.common.close}</Button>
          <Button look={look} busy={busy} onClick={onConfirm}>
            {confirm}
          </Button>
        </>
      }
    />
  );
}

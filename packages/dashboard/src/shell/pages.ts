import {
  Activity,
  Bot,
  Box,
  ChartNoAxesColumn,
  KeyRound,
  LayoutDashboard,
  type LucideIcon,
  RefreshCw,
  Scale,
  ScrollText,
} from "lucide-react";
import { words } from "../words/words.ts";

export interface ShellPage {
  to:
    | "/"
    | "/loops"
    | "/judgements"
    | "/usage"
    | "/sandboxes"
    | "/agents"
    | "/secrets"
    | "/system"
    | "/audit";
  label: string;
  icon: LucideIcon;
  /** Pressed after g. */
  key: string;
}

const { shell } = words;

/** Where one can go, in the order of how often one does. */
export const pageGroups: readonly { label: string; pages: readonly ShellPage[] }[] = [
  {
    label: shell.work,
    pages: [
      { to: "/", label: shell.overview, icon: LayoutDashboard, key: "o" },
      { to: "/loops", label: shell.loops, icon: RefreshCw, key: "l" },
      { to: "/judgements", label: shell.judgements, icon: Scale, key: "j" },
      { to: "/usage", label: shell.usage, icon: ChartNoAxesColumn, key: "u" },
    ],
  },
  {
    label: shell.machine,
    pages: [
      { to: "/sandboxes", label: shell.sandboxes, icon: Box, key: "b" },
      { to: "/agents", label: shell.agents, icon: Bot, key: "a" },
      { to: "/secrets", label: shell.secrets, icon: KeyRound, key: "k" },
      { to: "/system", label: shell.system, icon: Activity, key: "s" },
      { to: "/audit", label: shell.audit, icon: ScrollText, key: "t" },
    ],
  },
];

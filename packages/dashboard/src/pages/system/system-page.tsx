import { Page } from "../../parts/page.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { words } from "../../words/words.ts";
import { Configuration } from "./configuration.tsx";
import { DockerState } from "./docker-state.tsx";
import { EnvironmentChoice } from "./environment-choice.tsx";
import { Keys } from "./keys.tsx";
import { Logins } from "./logins.tsx";
import { Processes } from "./processes.tsx";

const { system } = words;

/** Where agents run, and everything that this depends on (contract A3). */
export function SystemPage() {
  return (
    <Page title={system.title} lead={system.lead}>
      <Tabs
        label={system.tabs}
        tabs={[
          { id: "environment", label: system.tabEnvironment, content: () => <Environment /> },
          { id: "processes", label: system.tabProcesses, content: () => <Processes /> },
          { id: "configuration", label: system.tabConfiguration, content: () => <Configuration /> },
          { id: "keys", label: system.tabKeys, content: () => <Keys /> },
        ]}
      />
    </Page>
  );
}

function Environment() {
  return (
    <>
      <EnvironmentChoice />
      <Logins />
      <DockerState />
    </>
  );
}

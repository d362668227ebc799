import { useState } from "react";
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components";
import { CopyButton } from "./id.tsx";
import { indentJson, Json } from "./json.tsx";

export interface CodeTab {
  name: string;
  text: string;
}

/** Texts as they were sent, one at a time. */
export function CodeTabs({ label, tabs }: { label: string; tabs: readonly CodeTab[] }) {
  const [name, setName] = useState(tabs[0]?.name ?? "");
  const shown = tabs.find((tab) => tab.name === name) ?? tabs[0];
  if (shown === undefined) return null;
  return (
    <Tabs
      className="code"
      selectedKey={shown.name}
      onSelectionChange={(key) => setName(String(key))}
    >
      <div className="code-head">
        <TabList aria-label={label}>
          {tabs.map((tab) => (
            <Tab key={tab.name} id={tab.name} className="tab">
              {tab.name}
            </Tab>
          ))}
        </TabList>
        <CopyButton text={shown.text} label={shown.name.toLowerCase()} />
      </div>
      {tabs.map((tab) => (
        <TabPanel key={tab.name} id={tab.name}>
          {tab.text === "" ? (
            <p className="nothing">Nothing</p>
          ) : (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll sideways, also with the keyboard
            <pre tabIndex={0}>
              <Json text={indentJson(tab.text)} />
            </pre>
          )}
        </TabPanel>
      ))}
    </Tabs>
  );
}

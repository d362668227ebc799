// Prepares the local broker, so that no test waits for it: a download of 40 MB, and the classes that Java parses.
import { prepareKafka } from "@pay/embedded";

await prepareKafka((line) => console.log(line));

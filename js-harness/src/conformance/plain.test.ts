import { openPlainStore } from "./testing/plain-store.js";
import { describeConformance } from "./testing/describe-conformance.js";

describeConformance("a driver of somebody else", () => openPlainStore());

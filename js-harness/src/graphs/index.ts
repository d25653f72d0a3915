// The graphs that a host serves unless it is given others. Each shows one thing.

import { ask } from "./ask.js";
import { askTwice, askTwo } from "./ask-several.js";
import { echo } from "./echo.js";
import { failing } from "./failing.js";
import { reply } from "./reply.js";
import { slowEcho } from "./slow-echo.js";
import { unserializable } from "./unserializable.js";
import { withSubgraph } from "./with-subgraph.js";

export const graphs = {
  ask,
  "ask-twice": askTwice,
  "ask-two": askTwo,
  echo,
  failing,
  reply,
  "slow-echo": slowEcho,
  unserializable,
  "with-subgraph": withSubgraph,
};

import { describeHostile } from "./describe-hostile.ts";
import { hostileWithoutEnd } from "./hostile-pages.ts";

describeHostile("pages that use up what they get", hostileWithoutEnd);

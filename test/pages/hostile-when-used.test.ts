import { describeHostile } from "./describe-hostile.ts";
import { hostileWhenUsed } from "./hostile-pages.ts";

describeHostile("pages that are hostile when they are used", hostileWhenUsed);

import { describeHostile } from "./describe-hostile.ts";
import { hostileWhenLoaded } from "./hostile-pages.ts";

describeHostile("pages that are hostile when they are loaded", hostileWhenLoaded);

import { bitrateChecks } from './bitrates.ts'
import type { Check } from './check.ts'
import { codecChecks } from './codecs.ts'
import { deliveryChecks } from './delivery.ts'
import { pictureChecks } from './pictures.ts'
import { playlistChecks } from './playlists.ts'
import { soundChecks } from './sound.ts'
import { subtitleChecks } from './subtitles.ts'
import { syntaxChecks } from './syntax.ts'
import { timingChecks } from './timing.ts'
import { trickPlayChecks } from './trick-play.ts'

/** All checks in rule order: RFC 8216 first, then 25 rules, some of which have several checks. */
export const allChecks: Check[] = [
	...syntaxChecks,
	...codecChecks,
	...pictureChecks,
	...bitrateChecks,
	...soundChecks,
	...subtitleChecks,
	...trickPlayChecks,
	...timingChecks,
	...playlistChecks,
	...deliveryChecks,
].toSorted((a, b) => a.rule - b.rule)

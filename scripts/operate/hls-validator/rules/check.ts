import type { Presentation } from '../presentation.ts'

export type Broken = { where: string; message: string }

/** One sentence of the specification and a function that finds violations. */
export type Check = {
	/** Number in the rule list; 0 is RFC 8216 itself. */
	rule: number
	/** Section of Apple's authoring specification. */
	section: string
	level: 'MUST' | 'SHOULD'
	text: string
	/** Why a good presentation may break the rule on purpose. */
	remark?: string
	find: (presentation: Presentation) => Iterable<Broken>
}

export const formatPercent = (share: number): string => `${(share * 100).toFixed(1)} %`
export const formatKbps = (bps: number): string => `${Math.round(bps / 1_000)} kb/s`
export const formatSeconds = (seconds: number): string => `${Number(seconds.toFixed(4))} s`

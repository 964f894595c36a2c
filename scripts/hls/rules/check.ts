import type { Presentation } from '../presentation.ts'

export type Broken = { where: string; message: string }

/** One sentence of the guide, and how to see that it does not hold. */
export type Check = {
	/** Of the list that these are taken from; 0 is RFC 8216 itself. */
	rule: number
	/** As Apple's authoring specification numbers it. */
	section: string
	level: 'MUST' | 'SHOULD'
	text: string
	/** Why a good presentation may break it knowingly. */
	remark?: string
	find: (presentation: Presentation) => Iterable<Broken>
}

export const percent = (share: number): string => `${(share * 100).toFixed(1)} %`
export const kbps = (bps: number): string => `${Math.round(bps / 1_000)} kb/s`
export const sec = (seconds: number): string => `${Number(seconds.toFixed(4))} s`

import { type LoadOptions, loadPresentation } from './load.ts'
import { allChecks } from './rules/all.ts'
import type { Check } from './rules/check.ts'

export type Finding = Pick<Check, 'rule' | 'section' | 'level' | 'text'> & {
	where: string
	message: string
	remark?: string
}

export type Report = {
	url: string
	/** Whether no MUST rule is broken. */
	isValid: boolean
	findings: Finding[]
	streams: number
	segments: number
	bytes: number
	/** What could not be checked. */
	notes: string[]
}

/** Loads a presentation and checks all rules. Throws if there is no playlist at the address. */
export async function validatePresentation(address: string, options: LoadOptions = {}): Promise<Report> {
	const presentation = await loadPresentation(address, options)
	const findings = allChecks.flatMap(({ find, rule, section, level, text, remark }) =>
		[...find(presentation)].map((broken) => {
			return { rule, section, level, text, ...broken, ...(remark !== undefined && { remark }) }
		}),
	)
	const segments = presentation.streams.flatMap((stream) => stream.segments)
	const notes: string[] = []
	if (presentation.url.startsWith('file:'))
		notes.push('Read from disk: redirects, gzip, media types and TLS were not checked.')
	if (segments.some(({ media }) => media?.format === 'ts'))
		notes.push('MPEG-TS segments were not parsed; only their sizes and playlists were checked.')
	return {
		url: presentation.url,
		isValid: findings.every(({ level }) => level !== 'MUST'),
		findings,
		streams: presentation.streams.length,
		segments: segments.length,
		bytes: segments.reduce((sum, { media }) => sum + (media?.bytes ?? 0), 0),
		notes,
	}
}

import type { TaskSpec } from '#schema/contract/video/tasks.ts'

/** The lane of a speech engine and a language, or all (`*`). */
export const formatSpeechLaneName = (engine: string, language: string): string => `asr:${engine}:${language}`

/** Returns the lane of a recognition task. */
export const chooseSpeechLane = (engine: string, language: string): string =>
	JSON.stringify(['transcribe', formatSpeechLaneName(engine, language)])

/** The lane of recognition tasks for providers. No encoder name has a colon, so no machine claims them. */
export const PROVIDER_LANE = JSON.stringify(['transcribe', 'provider:'])

/** Whether the lane requires encoders, which machines may lack; speech has limits of its own. */
export const isForEncoders = ({ lane }: Pick<Lane, 'lane'>): boolean => !lane.startsWith('["transcribe"')

/** Returns the lane of a task: its kind, and the encoders of its rungs. */
export function chooseTaskLane(spec: TaskSpec): string {
	return JSON.stringify([spec.kind, ...new Set(encodersOf(spec).toSorted())])
}

function encodersOf(spec: TaskSpec): string[] {
	if (spec.kind === 'clip') return spec.rung ? [spec.rung.encoder] : []
	return spec.kind === 'video' ? spec.rungs.map(({ encoder }) => encoder) : []
}

/** Tasks of an organization that need the same encoders. */
export type Lane = { orgId: string; lane: string; encoders: readonly string[] }

export const toLane = ({ orgId, lane }: { orgId: string; lane: string }): Lane => {
	const [, ...encoders]: string[] = JSON.parse(lane)
	return { orgId, lane, encoders }
}

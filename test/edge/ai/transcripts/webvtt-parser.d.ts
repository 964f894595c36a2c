/** Types of the W3C’s reference parser, which comes without any; only what tests use. */
declare module 'webvtt-parser' {
	type Tree = { type: string; value?: string; children?: Tree[] }
	export type ParsedCue = { id: string; startTime: number; endTime: number; text: string; tree: Tree }
	export class WebVTTParser {
		constructor(entities: Record<string, string>)
		parse(text: string, mode: 'subtitles'): { cues: ParsedCue[]; errors: { message: string; line: number }[] }
	}
}

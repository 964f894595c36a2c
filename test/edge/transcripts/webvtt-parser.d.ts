/** The part of the reference parser of the W3C that tests use; the package has no types. */
declare module 'webvtt-parser' {
	type Tree = { type: string; value?: string; children?: Tree[] }
	export type ParsedCue = { id: string; startTime: number; endTime: number; text: string; tree: Tree }
	export class WebVTTParser {
		constructor(entities: Record<string, string>)
		parse(text: string, mode: 'subtitles'): { cues: ParsedCue[]; errors: { message: string; line: number }[] }
	}
}

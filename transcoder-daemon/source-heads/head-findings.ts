/** The scrambled share of each track, by ffprobe's `id` of the stream. */
export type Scrambling = ReadonlyMap<string, number>

/** Facts from the head of a file that ffprobe does not report. */
export type SourceHead = {
	/** The scheme that encrypts picture or sound, empty if the file does not name it; null for a clear file. */
	encryption: string | null
	/** Whether a time scale that the tracks depend on is 0 or negative: programs then make up another. */
	hasInvalidClock: boolean
	/** Matroska's codec names, in the order of the tracks. */
	codecIds: Readonly<Record<'video' | 'audio', readonly string[]>>
	/** How much of each track is scrambled, for MPEG streams. */
	scrambling: Scrambling
}

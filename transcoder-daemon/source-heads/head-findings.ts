/** The scrambled share of each track, by ffprobe's `id` of the stream. */
export type Scrambling = ReadonlyMap<string, number>

/** Facts from the head of a file that ffprobe does not report. */
export type SourceHead = {
	/** The encryption scheme, empty if the file does not name it; null for an unencrypted file. */
	encryption: string | null
	/** Whether a time scale used by a track is 0 or negative, so that programs guess another. */
	hasInvalidClock: boolean
	/** Matroska's codec names, in the order of the tracks. */
	codecIds: Readonly<Record<'video' | 'audio', readonly string[]>>
	/** How much of each track is scrambled, for MPEG streams. */
	scrambling: Scrambling
}

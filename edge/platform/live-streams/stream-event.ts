/** Something that listeners of any of these topics hear. It names what changed, and contains no text that a person wrote. */
export type StreamEvent = {
	topics: readonly string[]
	type: string
	data: Record<string, unknown>
	/** Of the events with this key, listeners hear the first at once, and the newest of the rest once a second. */
	coalesce?: string
}
/** An event as it reaches the Worker of a listener. */
export type StreamMessage = Omit<StreamEvent, 'coalesce'> & { id: string }

/** The close code of a stream that a newer stream of the same holder replaces. */
export const REPLACED = 4000

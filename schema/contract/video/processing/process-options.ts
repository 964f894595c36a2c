import { z } from 'zod'

export const AiOptions = z.object({
	transcription: z.boolean().default(true),
	subtitles: z.boolean().default(true),
	chapters: z.boolean().default(true),
	highlights: z.boolean().default(true),
})
export type AiOptions = z.infer<typeof AiOptions>

export const PlaybackMode = z.enum(['complete', 'early'])
export type PlaybackMode = z.infer<typeof PlaybackMode>

/** The options of a request to process an asset. */
export const ProcessOptions = z.object({
	aiOptions: AiOptions.prefault({}),
	playback: PlaybackMode.default('complete'),
})
export type ProcessOptions = z.output<typeof ProcessOptions>

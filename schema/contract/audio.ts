import { z } from 'zod'
import { AssetId, data } from './fields.ts'
import { operation } from './operation.ts'

/** What both codecs can be asked for; players and recognizers know all of them. */
const sampleRates = [8_000, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000] as const
/** Opus has no others (RFC 6716 §2). */
const opusRates: readonly number[] = [8_000, 12_000, 16_000, 24_000, 48_000]

const track = {
	codec: z.enum(['aac', 'opus']),
	bitrateKbps: z.int().min(16).max(512),
	sampleRate: z.literal(sampleRates).meta({ description: 'Hz; Opus knows 8, 12, 16, 24 and 48 kHz only' }),
	channels: z.int().min(1).max(2),
}

const canBeEncoded = ({ codec, sampleRate }: { codec: string; sampleRate: number }) =>
	codec !== 'opus' || opusRates.includes(sampleRate)
const noSuchRate = { path: ['sampleRate'], message: 'Opus has 8000, 12000, 16000, 24000 and 48000 only' }

const PlaybackAudio = z
	.object({
		...track,
		normalize: z.boolean().default(false).meta({ description: 'Brought to one loudness' }),
	})
	.refine(canBeEncoded, noSuchRate)
const AiAudio = z.object(track).refine(canBeEncoded, noSuchRate)

export const AudioConfig = z
	.object({ playback: PlaybackAudio, ai: AiAudio })
	.meta({ id: 'AudioConfig', description: 'The audio that the next processing makes of the source' })
export type AudioConfig = z.infer<typeof AudioConfig>

/** What is made where nobody said anything else. */
export const standardAudioConfig: AudioConfig = {
	playback: { codec: 'aac', bitrateKbps: 128, sampleRate: 48_000, channels: 2, normalize: false },
	ai: { codec: 'aac', bitrateKbps: 64, sampleRate: 16_000, channels: 1 },
}

export const updateAudioConfig = operation({
	id: 'updateAudioConfig',
	method: 'patch',
	path: '/v1/assets/{assetId}/audio-config',
	tag: 'Assets',
	summary: 'Choose the audio that is made of a source',
	description:
		'`playback` is what viewers hear and may download, `ai` what speech recognition gets. The one that is not named stays as it is. Applies to the next processing.',
	auth: 'write',
	params: z.object({ assetId: AssetId }),
	body: z
		.object({ playback: PlaybackAudio, ai: AiAudio })
		.partial()
		.refine((patch) => Object.keys(patch).length > 0, 'nothing to change'),
	status: 200,
	response: data(AudioConfig),
	errors: ['not_found'],
})

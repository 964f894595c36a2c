import { z } from 'zod'
import { AssetId, data } from '../kit/fields.ts'
import { describeOperations } from '../kit/operation.ts'

const operation = describeOperations('Assets')

/** Rates that players and speech recognition support. */
const sampleRates = [8_000, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000] as const
/** The only rates of Opus (RFC 6716 §2). */
const opusRates: readonly number[] = [8_000, 12_000, 16_000, 24_000, 48_000]

const track = {
	codec: z.enum(['aac', 'opus']),
	bitrateKbps: z.int().min(16).max(512),
	sampleRate: z
		.literal(sampleRates)
		.meta({ description: 'In Hz; Opus supports only 8000, 12000, 16000, 24000 and 48000' }),
	channels: z.int().min(1).max(2),
}

const isSupportedRate = ({ codec, sampleRate }: { codec: string; sampleRate: number }) =>
	codec !== 'opus' || opusRates.includes(sampleRate)
const opusRateIssue = { path: ['sampleRate'], message: 'must be 8000, 12000, 16000, 24000 or 48000 for Opus' }

const PlaybackAudio = z
	.object({
		...track,
		normalize: z.boolean().default(false).meta({ description: 'Whether to normalize the loudness' }),
	})
	.refine(isSupportedRate, opusRateIssue)
const AiAudio = z.object(track).refine(isSupportedRate, opusRateIssue)

export const AudioConfig = z
	.object({ playback: PlaybackAudio, ai: AiAudio })
	.meta({ id: 'AudioConfig', description: 'The audio that the next processing creates from the source' })
export type AudioConfig = z.infer<typeof AudioConfig>

export const standardAudioConfig: AudioConfig = {
	playback: { codec: 'aac', bitrateKbps: 128, sampleRate: 48_000, channels: 2, normalize: false },
	ai: { codec: 'aac', bitrateKbps: 64, sampleRate: 16_000, channels: 1 },
}

export const updateAudioConfig = operation({
	id: 'updateAudioConfig',
	method: 'patch',
	path: '/v1/assets/{assetId}/audio-config',
	summary: 'Update the audio settings of an asset',
	description:
		'`playback` is the audio that viewers hear and may download; `ai` is the audio for speech recognition. An omitted one keeps its settings. Applies to the next processing.',
	auth: 'write',
	audit: 'none: content',
	impersonation: 'write',
	params: z.object({ assetId: AssetId }),
	body: z
		.object({ playback: PlaybackAudio, ai: AiAudio })
		.partial()
		.refine((patch) => Object.keys(patch).length > 0, 'must change at least one field'),
	response: data(AudioConfig),
	errors: ['not_found'],
})

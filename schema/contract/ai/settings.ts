import { z } from 'zod'
import { data, Line, Timestamp, WebUrl } from '../kit/fields.ts'
import { describeOperations } from '../kit/operation.ts'
import { Language } from './subtitles/language.ts'

const operation = describeOperations('Settings')

export const TranscriptionProvider = z.enum(['openai-compatible', 'deepgram', 'assemblyai', 'workers-ai'])
export type TranscriptionProvider = z.infer<typeof TranscriptionProvider>

export const LanguageModelProvider = z.enum(['openai-compatible', 'anthropic', 'workers-ai'])
export type LanguageModelProvider = z.infer<typeof LanguageModelProvider>

const BaseUrl = WebUrl.refine((url) => !/[?#]/.test(url), 'must not contain ? or #').meta({
	description:
		'Only for `openai-compatible`: the base URL, such as `https://api.openai.com/v1`, or the whole address, such as `https://whisper.example.org/inference`',
})
const Model = Line.min(1).max(200)
const Micros = z.int().nonnegative().max(1_000_000_000_000)

const Key = z
	.object({
		hasKey: z.boolean(),
		lastFour: z.string().nullable(),
		updatedAt: Timestamp.nullable(),
		mustBeEnteredAgain: z.boolean().meta({
			description:
				'Whether the key can no longer be decrypted, because the secret of the installation changed',
		}),
	})
	.meta({ id: 'AiKey', description: 'What is known about a key, which is never returned' })

const Transcription = z.object({
	provider: TranscriptionProvider,
	baseUrl: z.string().nullable(),
	model: z.string().nullable().meta({ description: 'null for the default of the provider' }),
	language: z
		.string()
		.nullable()
		.meta({ description: 'The language of videos that name none; null to detect it' }),
	pricePerMinuteMicros: Micros.nullable().meta({
		description:
			'The price of a minute of audio in millionths of a dollar. If null, only seconds are counted.',
	}),
	key: Key,
})

const InputPrice = Micros.nullable().meta({
	description: 'The price of a million tokens that the model reads, in millionths of a dollar',
})
const OutputPrice = Micros.nullable().meta({
	description:
		'The price of a million tokens that the model writes, in millionths of a dollar. If one of the prices is null, only tokens are counted.',
})

const LanguageModel = z.object({
	provider: LanguageModelProvider,
	baseUrl: z.string().nullable(),
	model: z.string().nullable(),
	inputPriceMicros: InputPrice,
	outputPriceMicros: OutputPrice,
	key: Key,
})

export const AiSettings = z
	.object({
		transcription: Transcription.nullable(),
		languageModel: LanguageModel.nullable(),
		installation: z
			.object({
				transcription: z
					.object({ provider: TranscriptionProvider, model: z.string().nullable() })
					.nullable()
					.meta({ description: 'The provider of organizations that chose none; null if there is none' }),
			})
			.meta({ description: 'What the installation offers, at its own expense' }),
		limits: z.object({
			audioSecPerMonth: z.int().nonnegative().nullable(),
			costMicrosPerMonth: z.int().nonnegative().nullable(),
			tokensPerMonth: z.int().nonnegative().nullable(),
		}),
		usedThisMonth: z.object({
			audioSec: z.number().nonnegative(),
			costMicros: z.int().nonnegative(),
			tokens: z.int().nonnegative().meta({ description: 'What language models read and wrote' }),
		}),
	})
	.meta({ id: 'AiSettings', description: 'The providers that an organization uses for AI' })
export type AiSettings = z.infer<typeof AiSettings>

const ApiKey = z
	.string()
	.regex(/^[\x21-\x7e]{1,500}$/, 'must be 1 to 500 visible ASCII characters')
	.meta({
		description:
			'If omitted, the key stays; null deletes it. A change of provider or base URL deletes it too.',
	})

const TranscriptionChange = z.object({
	provider: TranscriptionProvider.optional(),
	baseUrl: BaseUrl.nullable().optional(),
	model: Model.nullable().optional(),
	language: Language.nullable().optional(),
	pricePerMinuteMicros: Micros.nullable().optional(),
	apiKey: ApiKey.nullable().optional(),
})
export type TranscriptionChange = z.infer<typeof TranscriptionChange>

const LanguageModelChange = z.object({
	provider: LanguageModelProvider.optional(),
	baseUrl: BaseUrl.nullable().optional(),
	model: Model.nullable().optional(),
	inputPriceMicros: InputPrice.optional(),
	outputPriceMicros: OutputPrice.optional(),
	apiKey: ApiKey.nullable().optional(),
})
export type LanguageModelChange = z.infer<typeof LanguageModelChange>

export const getAiSettings = operation({
	id: 'getAiSettings',
	method: 'get',
	path: '/v1/settings/ai',
	summary: 'Get the AI settings of the organization',
	auth: 'admin',
	response: data(AiSettings),
})

export const updateAiSettings = operation({
	id: 'updateAiSettings',
	method: 'patch',
	path: '/v1/settings/ai',
	summary: 'Choose the providers for transcription and for texts, and limit what they may cost',
	description:
		'Fields that are left out keep their value; `transcription: null` and `languageModel: null` remove a provider with its key. Keys are stored encrypted and never returned. A limit is checked before each call; a limit in money needs the prices of the providers.',
	auth: 'admin',
	openToKeys: 'changes settings; a key that it replaces is known to whoever entered it',
	audit: 'ai_settings.updated',
	body: z
		.object({
			transcription: TranscriptionChange.nullable(),
			languageModel: LanguageModelChange.nullable(),
			limits: z
				.object({
					audioSecPerMonth: z.int().nonnegative().max(1_000_000_000).nullable(),
					costMicrosPerMonth: Micros.nullable(),
					tokensPerMonth: Micros.nullable(),
				})
				.partial(),
		})
		.partial()
		.refine((patch) => Object.keys(patch).length > 0, 'must change at least one field'),
	response: data(AiSettings),
	errors: ['conflict', 'not_configured'],
})

const AiTest = z
	.object({
		ok: z.boolean(),
		latencyMs: z.int().nonnegative(),
		text: z
			.string()
			.nullable()
			.meta({ description: 'What the provider understood, or what the model wrote' }),
		language: z.string().nullable(),
		supports: z.object({
			segments: z.boolean(),
			words: z.boolean(),
			numbers: z.boolean().meta({
				description: 'Whether the language model answers each numbered text in the requested form',
			}),
			usage: z.boolean().meta({
				description: 'Whether the language model reports tokens; otherwise they are estimated',
			}),
		}),
		problem: z.string().nullable().meta({ description: 'What is wrong with the provider; null if it works' }),
	})
	.meta({ id: 'AiTest' })
export type AiTest = z.infer<typeof AiTest>

export const testAiSettings = operation({
	id: 'testAiSettings',
	method: 'post',
	path: '/v1/settings/ai/test',
	summary: 'Test the provider for transcription, or the language model',
	description:
		'Transcribes some seconds of speech; with `languageModel`, translates two words instead (`{}` for the stored settings). Tests the stored settings with the changes of the body, and stores none of them. A test counts as use: of 2.6 seconds, or of the tokens that the model takes. A stored key is only sent to the address that it was stored for. A provider that returns text without times fails, and so does a model that does not answer in the requested form. At most five tests a minute.',
	auth: 'admin',
	openToKeys: 'sends a test',
	audit: 'none: work',
	body: z
		.object({ transcription: TranscriptionChange, languageModel: LanguageModelChange })
		.partial()
		.refine(
			(body) => body.transcription === undefined || body.languageModel === undefined,
			'must name either transcription or languageModel',
		),
	bodyOptional: true,
	response: data(AiTest),
	errors: ['conflict', 'too_many_requests', 'not_configured'],
})

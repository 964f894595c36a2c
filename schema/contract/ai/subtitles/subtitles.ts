import { z } from 'zod'
import { AssetId, data } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { Language } from './language.ts'

const operation = describeOperations('Assets')
const params = z.object({ assetId: AssetId })
const paramsOfLanguage = params.extend({ lang: Language })

export const MAX_SUBTITLE_BYTES = 2 * 1024 ** 2
export const MAX_LANGUAGES = 50

export const SubtitleSource = z.enum(['transcript', 'upload', 'translation']).meta({
	description:
		'`transcript` if they were made from the transcript, `upload` if somebody uploaded them, `translation` if a language model translated them',
})

export const Subtitles = z
	.object({
		language: z
			.string()
			.meta({ description: 'The language as a tag (BCP 47) such as `pt-BR`, or `und` if it is unknown' }),
		name: z.string().meta({ description: 'The name of the language in that language, as menus show it' }),
		source: SubtitleSource,
	})
	.meta({ id: 'Subtitles' })

const Translation = z
	.object({
		language: z.string(),
		from: z.string().meta({ description: 'The language that it is translated from' }),
		status: z.enum(['pending', 'processing', 'completed', 'failed']),
		progress: z.int().min(0).max(100).meta({ description: 'How much is translated, in percent' }),
		reason: z.string().nullable().meta({ description: 'Why it waits or failed' }),
		isStale: z.boolean().meta({
			description: 'Whether the subtitles that it was translated from were replaced or deleted',
		}),
	})
	.meta({ id: 'SubtitleTranslation' })

const List = data(
	z.object({
		subtitles: z.array(Subtitles),
		translations: z
			.array(Translation)
			.meta({ description: 'The latest translation into each language, also one that failed' }),
	}),
)

export const listSubtitles = operation({
	id: 'listSubtitles',
	method: 'get',
	path: '/v1/assets/{assetId}/subtitles',
	summary: 'List the subtitles of an asset',
	description:
		'At most one for each language, as viewers can choose them. Uploaded subtitles hide those of the transcript in the same language, which hide a translation. The playback record has the URLs of the files.',
	auth: 'read',
	impersonation: 'read',
	params,
	response: List,
	errors: ['not_found'],
})

export const setSubtitles = operation({
	id: 'setSubtitles',
	method: 'put',
	path: '/v1/assets/{assetId}/subtitles/{lang}',
	summary: 'Upload the subtitles of an asset in one language: WebVTT or SRT',
	description: `The body is the file itself in UTF-8, with at most 2 MiB and 20,000 subtitles. A file that begins with \`WEBVTT\` is read as WebVTT, and any other as SRT; the media type \`text/vtt\` requires WebVTT. Styles, positions, comments and markup are left out, and the rest is stored as WebVTT and as SRT. Returns 422 for a file with errors, with the number of the first line that is wrong. Replaces the subtitles that were uploaded in this language before. An asset has at most ${MAX_LANGUAGES} languages (409).`,
	auth: 'write',
	audit: 'none: content',
	impersonation: 'write',
	params: paramsOfLanguage,
	takesBytes: { type: '*/*', maxBytes: MAX_SUBTITLE_BYTES },
	response: List,
	errors: ['not_found', 'conflict', 'unprocessable'],
})

export const deleteSubtitles = operation({
	id: 'deleteSubtitles',
	method: 'delete',
	path: '/v1/assets/{assetId}/subtitles/{lang}',
	summary: 'Delete the uploaded subtitles of an asset in one language',
	description:
		'Subtitles of the transcript in the same language are shown again. Returns 404 if none were uploaded in this language.',
	auth: 'write',
	audit: 'none: content',
	params: paramsOfLanguage,
	response: List,
	errors: ['not_found'],
})

const MAX_TRANSLATED = 20

export const translateSubtitles = operation({
	id: 'translateSubtitles',
	method: 'post',
	path: '/v1/assets/{assetId}/subtitles/translations',
	summary: 'Translate the subtitles of an asset with the language model of the organization',
	description:
		'Translates in the background; `translations` shows how far it is. Each text keeps its times. A translation that failed goes on where it stopped, and one that is under way is not begun again. Returns 409 without a language model or subtitles, for the language of the subtitles of the transcript, and for one in which somebody uploaded subtitles, unless `force` is true.',
	auth: 'write',
	audit: 'none: content',
	whenSuspended: 'no new work',
	params,
	body: z.object({
		languages: z
			.array(Language)
			.min(1)
			.max(MAX_TRANSLATED)
			.refine((languages) => new Set(languages).size === languages.length, 'must not name a language twice'),
		from: Language.optional().meta({
			description:
				'The language of the subtitles to translate. If omitted, those of the transcript, else uploaded ones.',
		}),
		force: z
			.boolean()
			.default(false)
			.meta({ description: 'Whether to replace what somebody uploaded before this request' }),
	}),
	response: List,
	errors: ['not_found', 'conflict'],
})

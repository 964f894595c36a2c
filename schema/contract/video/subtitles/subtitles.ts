import { z } from 'zod'
import { AssetId, data } from '../../kit/fields.ts'
import { operation } from '../../kit/operation.ts'
import { Language } from './language.ts'

const tag = 'Assets'
const params = z.object({ assetId: AssetId })
const paramsOfLanguage = params.extend({ lang: Language })

export const MAX_SUBTITLE_BYTES = 2 * 1024 ** 2
export const MAX_LANGUAGES = 50

export const SubtitleSource = z.enum(['transcript', 'upload']).meta({
	description: '`transcript` if they were made from the transcript, `upload` if somebody uploaded them',
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

const List = data(z.object({ subtitles: z.array(Subtitles) }))

export const listSubtitles = operation({
	id: 'listSubtitles',
	method: 'get',
	path: '/v1/assets/{assetId}/subtitles',
	tag,
	summary: 'List the subtitles of an asset',
	description:
		'At most one for each language, as viewers can choose them. Uploaded subtitles hide those of the transcript in the same language. The playback record has the URLs of the files.',
	auth: 'read',
	params,
	status: 200,
	response: List,
	errors: ['not_found'],
})

export const setSubtitles = operation({
	id: 'setSubtitles',
	method: 'put',
	path: '/v1/assets/{assetId}/subtitles/{lang}',
	tag,
	summary: 'Upload the subtitles of an asset in one language: WebVTT or SRT',
	description: `The body is the file itself in UTF-8, with at most 2 MiB and 20,000 subtitles. A file that begins with \`WEBVTT\` is read as WebVTT, and any other as SRT; the media type \`text/vtt\` requires WebVTT. Styles, positions, comments and markup are left out, and the rest is stored as WebVTT and as SRT. Returns 422 for a file with errors, with the number of the first line that is wrong. Replaces the subtitles that were uploaded in this language before. An asset has at most ${MAX_LANGUAGES} languages (409).`,
	auth: 'write',
	params: paramsOfLanguage,
	takesBytes: { type: '*/*', maxBytes: MAX_SUBTITLE_BYTES },
	status: 200,
	response: List,
	errors: ['not_found', 'conflict', 'unprocessable'],
})

export const deleteSubtitles = operation({
	id: 'deleteSubtitles',
	method: 'delete',
	path: '/v1/assets/{assetId}/subtitles/{lang}',
	tag,
	summary: 'Delete the uploaded subtitles of an asset in one language',
	description:
		'Subtitles of the transcript in the same language are shown again. Returns 404 if none were uploaded in this language.',
	auth: 'write',
	params: paramsOfLanguage,
	status: 200,
	response: List,
	errors: ['not_found'],
})

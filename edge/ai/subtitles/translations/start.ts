import { MAX_LANGUAGES } from '#schema/contract/ai/subtitles/subtitles.ts'
import { AppError } from '../../../http/errors.ts'
import type { Deps } from '../../../platform/deps.ts'
import { getAsset } from '../../../video/assets/assets.ts'
import { hasLanguageModel } from '../../providers/calls/ask-model.ts'
import { subtitleStore } from '../store.ts'
import { listSubtitleTracks, type SubtitleTrack } from '../tracks.ts'
import { translationStore } from './store.ts'

type Request = { languages: readonly string[]; from?: string | undefined; force: boolean }

/** Starts translating the subtitles of an asset. */
export async function startTranslations(
	deps: Deps,
	orgId: string,
	assetId: string,
	{ languages, from, force }: Request,
): Promise<void> {
	const asset = await getAsset(deps, orgId, assetId)
	if (!(await hasLanguageModel(deps, orgId)))
		throw new AppError('conflict', 'no language model is configured; choose one with PATCH /v1/settings/ai')
	const uploadedSubtitles = await subtitleStore(deps.db).list(assetId)
	const source = sourceOf(listSubtitleTracks({ ...asset, uploadedSubtitles }), languages, from)
	const same = languages.indexOf(source.language)
	if (same >= 0)
		throw new AppError('validation', `languages.${same}: must differ from the language of the subtitles`)
	const [transcript] = listSubtitleTracks({ ...asset, uploadedSubtitles: [] })
	if (transcript && languages.includes(transcript.language))
		throw new AppError(
			'conflict',
			`the transcript has subtitles in ${transcript.language}; leave this language out`,
		)
	const uploads = uploadedSubtitles.filter((each) => each.source === 'upload')
	const edited = uploads.find((each) => languages.includes(each.language))
	if (edited && !force)
		throw new AppError(
			'conflict',
			`somebody uploaded subtitles in ${edited.language}; send "force": true to replace them`,
		)
	const all = new Set([...uploadedSubtitles.map(({ language }) => language), ...languages])
	if (all.size > MAX_LANGUAGES)
		throw new AppError('conflict', `an asset has at most ${MAX_LANGUAGES} languages; delete one first`)
	const { language: sourceLanguage, key: sourceKey } = source
	const rows = languages.map((language) => ({
		...{ assetId, orgId, language, sourceLanguage, sourceKey },
		// Later uploads take precedence.
		replaceableKey: uploads.find((each) => each.language === language)?.key ?? null,
	}))
	await translationStore(deps.db).start(rows, deps.now)
	// The sweep finds messages that are not sent.
	await deps.sendBatch(
		languages.map((language) => ({ type: 'subtitles.translate' as const, assetId, language })),
	)
}

/** Returns the subtitles to translate: in the given language, else the transcript's, else an upload. */
function sourceOf(
	tracks: readonly SubtitleTrack[],
	languages: readonly string[],
	from: string | undefined,
): SubtitleTrack {
	const written = tracks.filter(({ source }) => source !== 'translation')
	const found =
		from === undefined
			? (written.find(({ source }) => source === 'transcript') ??
				written.find(({ language }) => !languages.includes(language)) ??
				written[0])
			: written.find(({ language }) => language === from)
	if (!found)
		throw new AppError(
			'conflict',
			from === undefined
				? 'this asset has no subtitles to translate; transcribe it, or upload some'
				: `this asset has no subtitles in ${from} that are not a translation`,
		)
	return found
}

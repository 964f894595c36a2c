import { z } from 'zod'
import { event } from '../kit/event.ts'
import { AssetId, PlaybackId } from '../kit/fields.ts'
import { Language } from './subtitles/language.ts'

const titledAsset = z.object({ assetId: AssetId, playbackId: PlaybackId, title: z.string() })
const translation = z.object({ assetId: AssetId, language: Language })

export const aiEvents = [
	event({
		name: 'ai.completed',
		payload: titledAsset,
		urgency: 'none',
		personal: ['title'],
		public: {
			summary: 'Transcript, subtitles, chapters and highlights of an asset are done, or were skipped',
			auth: 'read',
			resource: 'assetId',
		},
	}),
	event({
		name: 'ai.failed',
		payload: titledAsset,
		urgency: 'none',
		personal: ['title'],
		public: {
			summary: 'The transcript, subtitles, chapters or highlights of an asset failed; the asset still plays',
			auth: 'read',
			resource: 'assetId',
		},
	}),
	event({
		name: 'subtitles.translated',
		payload: translation,
		urgency: 'none',
		public: {
			summary: 'A translation of subtitles that was requested is a track of the asset',
			auth: 'read',
			resource: 'assetId',
		},
	}),
	event({
		name: 'subtitles.translation_failed',
		payload: translation,
		urgency: 'none',
		public: {
			summary: 'A translation of subtitles failed; the list of subtitles says why',
			auth: 'read',
			resource: 'assetId',
		},
	}),
	/** The transcript has another version, or was removed. */
	event({
		name: 'asset.transcript_replaced',
		payload: z.object({ assetId: z.string(), by: z.enum(['person', 'engine']) }),
		urgency: 'rest',
	}),
] as const

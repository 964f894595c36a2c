import { z } from 'zod'
import { event } from '../kit/event.ts'
import { AssetId, DirectUploadId, PlaybackId } from '../kit/fields.ts'
import { Rendition } from './assets.ts'

const asset = { assetId: AssetId, playbackId: PlaybackId }
/** Enough to name the asset in a notification after it was deleted. */
const titledAsset = { ...asset, title: z.string() }
const task = z.object({ assetId: z.string(), taskId: z.string() })

export const videoEvents = [
	event({
		name: 'asset.created',
		payload: z.object(titledAsset),
		urgency: 'none',
		personal: ['title'],
		public: { summary: 'An asset was created; it has no source yet', auth: 'read', resource: 'assetId' },
	}),
	event({
		name: 'upload.asset_created',
		payload: z.object({ uploadId: DirectUploadId, ...asset }),
		urgency: 'none',
		public: {
			summary: 'The file of a direct upload is complete and has become an asset',
			auth: 'read',
			resource: 'uploadId',
		},
	}),
	event({
		name: 'asset.uploaded',
		payload: z.object({ ...titledAsset, process: z.literal('whenUploaded').optional() }),
		urgency: 'rest',
		personal: ['title'],
		public: {
			summary: 'The source of an asset is stored',
			auth: 'read',
			resource: 'assetId',
			without: ['process'],
		},
	}),
	/** A job for the fleet was created. */
	event({
		name: 'asset.processing',
		payload: z.object({ ...titledAsset, jobId: z.string() }),
		urgency: 'job',
		personal: ['title'],
		public: {
			summary: 'Processing of an asset was requested',
			auth: 'read',
			resource: 'assetId',
			without: ['jobId'],
		},
	}),
	event({
		name: 'asset.playable',
		payload: z.object({ ...titledAsset, jobId: z.string(), durationSec: z.number() }),
		urgency: 'none',
		personal: ['title'],
		public: {
			summary: 'An asset can be played. With early playback, more renditions follow until `asset.ready`',
			auth: 'read',
			resource: 'assetId',
			without: ['jobId'],
		},
	}),
	event({
		name: 'asset.rendition.ready',
		payload: z.object({ ...asset, jobId: z.string(), rendition: Rendition }),
		urgency: 'none',
		public: {
			summary: 'A rendition of an asset can be played',
			auth: 'read',
			resource: 'assetId',
			without: ['jobId'],
		},
	}),
	event({
		name: 'asset.ready',
		payload: z.object({
			...titledAsset,
			jobId: z.string(),
			durationSec: z.number(),
			renditions: z.array(Rendition),
		}),
		urgency: 'job',
		personal: ['title'],
		public: {
			summary: 'All renditions that an asset needs for playback are ready. HEVC and AV1 may still follow',
			auth: 'read',
			resource: 'assetId',
			without: ['jobId'],
		},
	}),
	event({
		name: 'asset.error',
		payload: z.object({ ...titledAsset, jobId: z.string(), errorMessage: z.string() }),
		urgency: 'none',
		personal: ['title', 'errorMessage'],
		public: {
			summary: 'Processing of an asset failed',
			auth: 'read',
			resource: 'assetId',
			without: ['jobId'],
		},
	}),
	event({
		name: 'asset.processing_cancelled',
		payload: z.object({ ...titledAsset, jobId: z.string() }),
		urgency: 'none',
		personal: ['title'],
		public: {
			summary: 'Processing of an asset was cancelled. An asset that was playable is still playable',
			auth: 'read',
			resource: 'assetId',
			without: ['jobId'],
		},
	}),
	event({
		name: 'asset.trashed',
		payload: z.object(titledAsset),
		urgency: 'none',
		personal: ['title'],
		public: { summary: 'An asset was moved to the trash', auth: 'read', resource: 'assetId' },
	}),
	event({
		name: 'asset.restored',
		payload: z.object({ ...titledAsset, process: z.literal('whenUploaded').optional() }),
		urgency: 'rest',
		personal: ['title'],
		public: {
			summary: 'An asset was moved back from the trash',
			auth: 'read',
			resource: 'assetId',
			without: ['process'],
		},
	}),
	event({
		name: 'asset.deleted',
		payload: z.object(titledAsset),
		urgency: 'rest',
		personal: ['title'],
		public: { summary: 'An asset was deleted', auth: 'read', resource: 'assetId' },
	}),
	/** A machine ended a task of speech recognition, or failed at it for good. */
	event({ name: 'asset.speech_task_ended', payload: task, urgency: 'job' }),
	/** A machine made the clip of a highlight, or failed at it for good. */
	event({ name: 'asset.clip_ended', payload: task, urgency: 'job' }),
] as const

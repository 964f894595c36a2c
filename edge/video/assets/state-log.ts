import type { DomainEvent } from '#schema/contract/events.ts'
import type { Deps } from '../../platform/deps.ts'
import type { LogFields } from '../../platform/log.ts'

export type VideoState =
	| 'created'
	| 'uploaded'
	| 'queued'
	| 'processing'
	| 'playable'
	| 'ready'
	| 'failed'
	| 'cancelled'
	| 'deleted'

type Video = { assetId: string; title: string }

/** Logs a state of a video. Production logs omit the title, which may name a person. */
export function logVideo(
	{ log, env }: Pick<Deps, 'log' | 'env'>,
	state: VideoState,
	{ assetId, title }: Video,
	fields: LogFields = {},
): void {
	log.info(`video ${state}`, { assetId, ...(env.vars.ENVIRONMENT === 'development' && { title }), ...fields })
}

/** Logs states with a followed event. Other states are logged where they are entered. */
export function logVideoEvent(deps: Pick<Deps, 'log' | 'env'>, { type, payload }: DomainEvent): void {
	if (type === 'asset.uploaded') logVideo(deps, 'uploaded', payload)
	if (type === 'asset.processing') logVideo(deps, 'queued', payload)
	if (type === 'asset.deleted') logVideo(deps, 'deleted', payload)
}

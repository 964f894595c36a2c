import { AppError, notFoundError } from '../../http/errors.ts'
import type { Position } from '../../http/page.ts'
import { batch } from '../../platform/database/batch.ts'
import { newId } from '../../platform/database/ids.ts'
import type { Deps } from '../../platform/deps.ts'
import { recordEventIfChangedStatement } from '../../platform/outbox/outbox.ts'
import { getAsset } from '../../video/assets/assets.ts'
import { getPlayable, playbackNotFoundError, type Viewer } from '../../video/assets/playable/viewer.ts'
import type { PlayableRow } from '../../video/assets/store.ts'
import { type CommentRow, commentStore } from './comment-store.ts'

type Page = { limit: number; position: Position | null }
const commentNotFoundError = () => notFoundError('comment')

async function getCommentable(deps: Deps, viewer: Viewer): Promise<PlayableRow> {
	const asset = await getPlayable(deps, viewer)
	if (!asset.publicSettings.showComments)
		throw new AppError('forbidden', 'comments are disabled for this video')
	return asset
}

export async function listPublicComments(deps: Deps, viewer: Viewer, { limit, position }: Page) {
	const asset = await getCommentable(deps, viewer)
	return commentStore(deps.db).list(asset.id, 'visible', limit, position)
}

export async function createComment(
	deps: Deps,
	viewer: Viewer,
	input: { authorName: string; body: string; timestampSec: number | null },
): Promise<CommentRow> {
	const { db, work, now } = deps
	const asset = await getCommentable(deps, viewer)
	if (input.timestampSec !== null && input.timestampSec > (asset.durationSec ?? Number.POSITIVE_INFINITY))
		throw new AppError('validation', 'timestampSec: must not be after the end of the video')
	const row: CommentRow = {
		id: newId('cmt', now),
		assetId: asset.id,
		...input,
		hiddenAt: null,
		createdAt: now,
	}
	const payload = { assetId: asset.id, playbackId: asset.playbackId, commentId: row.id }
	const { commentInserted } = await batch(db, {
		commentInserted: commentStore(db).insertStatement(row),
		eventRecorded: recordEventIfChangedStatement(work, {
			type: 'comment.created',
			orgId: asset.orgId,
			payload,
		}),
	})
	if (commentInserted.length === 0) throw playbackNotFoundError()
	return row
}

/** Lists all comments for the organization. Access to the asset grants access to its comments. */
export async function listAllComments(
	deps: Deps,
	orgId: string,
	assetId: string,
	{ limit, position }: Page,
): Promise<CommentRow[]> {
	await getAsset(deps, orgId, assetId)
	return commentStore(deps.db).list(assetId, 'all', limit, position)
}

export async function setCommentHidden(
	deps: Deps,
	orgId: string,
	ids: { assetId: string; commentId: string },
	hidden: boolean,
): Promise<CommentRow> {
	await getAsset(deps, orgId, ids.assetId)
	const hiddenAt = hidden ? deps.now : null
	const row = await commentStore(deps.db).setHidden(ids.assetId, ids.commentId, hiddenAt)
	if (!row) throw commentNotFoundError()
	return row
}

export async function deleteComment(
	deps: Deps,
	orgId: string,
	ids: { assetId: string; commentId: string },
): Promise<void> {
	const { db, work } = deps
	const { playbackId } = await getAsset(deps, orgId, ids.assetId)
	const { commentDeleted } = await batch(db, {
		commentDeleted: commentStore(db).deleteStatement(ids.assetId, ids.commentId),
		eventRecorded: recordEventIfChangedStatement(work, {
			type: 'comment.deleted',
			orgId,
			payload: { ...ids, playbackId },
		}),
	})
	if (commentDeleted.length === 0) throw commentNotFoundError()
}

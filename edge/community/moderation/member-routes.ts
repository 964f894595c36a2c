import * as contract from '#schema/contract/community/member/moderation.ts'
import { type Route, serve } from '../../http/route.ts'
import { toIso, toIsoOrNull } from '../../platform/clock.ts'
import { toViewer } from '../access/viewer.ts'
import { truncateToExcerpt } from '../excerpt.ts'
import { computePageOffset, wrapOpenList } from '../lists.ts'
import { viewPerson } from '../people.ts'
import { changeBan, changeVisibility, dismissFlag, flagContent, listFlags, listHidden } from './moderation.ts'
import type { FlagRow, HiddenRow } from './store.ts'

const success = { success: true as const }

const viewContent = (row: Omit<HiddenRow, 'hiddenAt' | 'hiddenReason'>) => ({
	content_type: row.commentId === null ? ('Post' as const) : ('Comment' as const),
	content_id: row.commentId ?? row.postId,
	post_id: row.postId,
	excerpt: truncateToExcerpt(row.text),
	author: viewPerson(row.author),
	space: { id: row.spaceId, name: row.spaceName, slug: row.spaceSlug },
})

const viewFlag = (row: FlagRow): contract.Flag => ({
	...viewContent(row),
	id: row.id,
	reason: row.reason,
	created_at: toIso(row.createdAt),
	dismissed_at: toIsoOrNull(row.dismissedAt),
	state: row.deletedAt === null ? 'shown' : row.hiddenAt === null ? 'removed' : 'hidden',
	reporter: viewPerson(row.reporter),
})

const viewHidden = (row: HiddenRow): contract.HiddenContent => ({
	...viewContent(row),
	hidden_at: toIso(row.hiddenAt),
	hidden_reason: row.hiddenReason,
})

export const moderationRoutes: Route[] = [
	serve(contract.flagContent, async ({ deps, caller, body, markExisting }) => {
		const viewer = toViewer(caller, deps)
		if (!(await flagContent(deps, viewer, body.content_type, body.content_id, body.reason))) markExisting()
		return success
	}),

	serve(contract.listFlags, async ({ deps, caller, query }) => {
		const rows = await listFlags(
			deps,
			toViewer(caller, deps),
			query,
			query.per_page + 1,
			computePageOffset(query),
		)
		return wrapOpenList(rows.map(viewFlag), query)
	}),

	serve(contract.dismissFlag, async ({ deps, caller, params }) => {
		await dismissFlag(deps, toViewer(caller, deps), params.flagId)
		return success
	}),

	serve(contract.listHidden, async ({ deps, caller, query }) => {
		const rows = await listHidden(deps, toViewer(caller, deps), query.per_page + 1, computePageOffset(query))
		return wrapOpenList(rows.map(viewHidden), query)
	}),

	serve(contract.hidePost, async ({ deps, caller, params, body }) => {
		const hiding = { kind: 'hide', reason: body?.reason ?? null } as const
		await changeVisibility(deps, toViewer(caller, deps), { post: params.postId }, hiding)
		return success
	}),

	serve(contract.restorePost, async ({ deps, caller, params }) => {
		await changeVisibility(deps, toViewer(caller, deps), { post: params.postId }, 'restore')
		return success
	}),

	serve(contract.hideComment, async ({ deps, caller, params, body }) => {
		const hiding = { kind: 'hide', reason: body?.reason ?? null } as const
		await changeVisibility(deps, toViewer(caller, deps), { comment: params.commentId }, hiding)
		return success
	}),

	serve(contract.restoreComment, async ({ deps, caller, params }) => {
		await changeVisibility(deps, toViewer(caller, deps), { comment: params.commentId }, 'restore')
		return success
	}),

	serve(contract.banMember, async ({ deps, caller, params }) => {
		await changeBan(deps, caller, toViewer(caller, deps), params.memberId, 'ban')
		return success
	}),

	serve(contract.unbanMember, async ({ deps, caller, params }) => {
		await changeBan(deps, caller, toViewer(caller, deps), params.memberId, 'unban')
		return success
	}),
]

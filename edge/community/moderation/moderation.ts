import type { ContentType } from '#schema/contract/community/member/moderation.ts'
import type { Member } from '../../http/caller.ts'
import { AppError, notFoundError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import { commentStore } from '../comments/store.ts'
import { memberNotFoundError } from '../not-found.ts'
import { closeStreams, pushNotifications } from '../notifications/notification-streams.ts'
import { deferNotifications } from '../notifications/pending-notification.ts'
import { postStore } from '../posts/store.ts'
import { requireModerator, rolesBelow } from '../roles.ts'
import { announceComment, announcePost } from '../streams/announce.ts'
import type { Hiding } from './removal.ts'
import { type FlagFilter, type FlagRow, type HiddenRow, moderationStore } from './store.ts'

/** Returns true if this call created the flag, false if the member had flagged the content before. */
export async function flagContent(
	{ db, work }: Deps,
	viewer: Viewer,
	type: ContentType,
	id: number,
	reason: string,
): Promise<boolean> {
	const store = moderationStore(db)
	if (await store.flag(work, viewer, type, id, reason)) return true
	if (!(await store.isFlaggable(viewer, type, id))) throw notFoundError(type.toLowerCase())
	return false
}

export async function listFlags(
	{ db }: Deps,
	viewer: Viewer,
	filter: FlagFilter,
	limit: number,
	offset: number,
): Promise<FlagRow[]> {
	requireModerator(viewer)
	return moderationStore(db).list(viewer, filter, limit, offset)
}

export async function dismissFlag({ db }: Deps, viewer: Viewer, flagId: number): Promise<void> {
	requireModerator(viewer)
	if (!(await moderationStore(db).dismiss(viewer, flagId))) throw notFoundError('flag')
}

export async function listHidden(
	{ db }: Deps,
	viewer: Viewer,
	limit: number,
	offset: number,
): Promise<HiddenRow[]> {
	requireModerator(viewer)
	return moderationStore(db).listHidden(viewer, limit, offset)
}

export async function changeVisibility(
	deps: Deps,
	viewer: Viewer,
	target: { post: number } | { comment: number },
	move: 'restore' | Hiding,
): Promise<void> {
	requireModerator(viewer)
	const isPost = 'post' in target
	const notified = await (isPost
		? movePost(deps, viewer, target.post, move)
		: moveComment(deps, viewer, target.comment, move))
	if (notified) {
		if (notified.length > 0) deps.defer(pushNotifications(deps, viewer.communityId, notified))
		return
	}
	throw new AppError(
		'not_found',
		`no such ${move === 'restore' ? 'hidden ' : ''}${isPost ? 'post' : 'comment'}`,
	)
}

async function movePost(deps: Deps, viewer: Viewer, id: number, move: 'restore' | Hiding) {
	const store = postStore(deps.db)
	const moved = await (move === 'restore'
		? store.restore(deps.work, viewer, id)
		: store.remove(deps.work, viewer, id, move))
	if (moved) announcePost(deps, viewer.communityId, nameChange(move), moved)
	return moved?.authorsNotified
}

async function moveComment(deps: Deps, viewer: Viewer, id: number, move: 'restore' | Hiding) {
	const store = commentStore(deps.db)
	const moved = await (move === 'restore'
		? store.restore(deps.work, viewer, id)
		: store.remove(deps.work, viewer, id, move))
	if (moved) announceComment(deps, viewer.communityId, nameChange(move), moved)
	return moved?.authorsNotified
}

const nameChange = (move: 'restore' | Hiding) => (move === 'restore' ? 'restored' : 'removed')

/** Bans or unbans a member. Succeeds even if the member is already banned or unbanned. */
export async function changeBan(
	deps: Deps,
	caller: Member,
	viewer: Viewer,
	memberId: number,
	move: 'ban' | 'unban',
): Promise<void> {
	requireModerator(viewer)
	const store = moderationStore(deps.db)
	const [from, to] = move === 'ban' ? (['active', 'banned'] as const) : (['banned', 'active'] as const)
	const roles = rolesBelow[viewer.role]
	const promoted = await store.setStatus(
		deps.work,
		viewer,
		memberId,
		{ from, to, roles },
		caller.org?.id ?? null,
	)
	if (promoted) {
		deferNotifications(deps, 'place', promoted)
		if (move === 'ban') deps.defer(closeStreams(deps, viewer.communityId, memberId))
		return
	}
	const member = await store.findMember(viewer, memberId)
	if (!member || (member.status !== from && member.status !== to)) throw memberNotFoundError()
	if (!roles.includes(member.role))
		throw new AppError('forbidden', 'your role must be above that of the member')
}

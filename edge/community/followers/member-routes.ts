import * as contract from '#schema/contract/community/member/followers.ts'
import { type Route, serve } from '../../http/route.ts'
import { toViewer } from '../access/viewer.ts'
import { wrapFixedList } from '../lists.ts'
import { followPost, listFollowers, unfollowPost } from './followers.ts'
import type { FollowerRow } from './store.ts'

const viewFollower = (row: FollowerRow): contract.Follower => ({
	id: row.id,
	post_id: row.postId,
	community_member_id: row.userId,
	membership_id: row.membershipId,
	name: row.name,
	avatar_url: row.avatarUrl,
})

export const followerRoutes: Route[] = [
	serve(contract.listPostFollowers, async ({ deps, caller, params }) => {
		const rows = await listFollowers(deps, toViewer(caller, deps), params.postId)
		return wrapFixedList(rows.map(viewFollower))
	}),

	serve(contract.followPost, async ({ deps, caller, params }) => {
		await followPost(deps, toViewer(caller, deps), params.postId)
		return { success: true as const, is_following: true as const }
	}),

	serve(contract.unfollowPost, async ({ deps, caller, params }) => {
		await unfollowPost(deps, toViewer(caller, deps), params.postId)
		return { success: true as const, is_following: false as const }
	}),
]

import { z } from 'zod'
import { openBySpecification } from '../../kit/bodies/open-bodies.ts'
import { pathInt, Timestamp } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { CommunityMemberId, Id, ListQuery, openListSchema, Success } from '../fields.ts'
import { LIKE, Reaction } from '../reaction.ts'

const operation = describeOperations('Community: reactions')

const ReactableType = z.enum(['Post', 'Comment', 'Image'])
const target = { reactable_type: ReactableType, reactable_id: z.int() }

export const react = operation({
	id: 'react',
	sdk: 'community.reactions.add',
	method: 'post',
	path: '/api/headless/v1/reactions',
	summary: 'React to a post, comment or image',
	description:
		"A member can have one reaction to each target; another reaction replaces it. `reaction` is one emoji, `like`, or a name of the community's set (`reactions` of GET /api/headless/v1/community_member). Returns 400 for other texts.",
	auth: 'member',
	audit: 'none: content',
	openBody: openBySpecification,
	body: z.object({ ...target, reaction: Reaction.default(LIKE) }),
	response: z.object({ id: Id, reaction: z.string() }).meta({ id: 'Reaction' }),
})

export const unreact = operation({
	id: 'unreact',
	sdk: 'community.reactions.remove',
	method: 'delete',
	path: '/api/headless/v1/reactions',
	summary: 'Remove a reaction',
	description:
		'Send the target in the query or in the body; many clients and proxies drop the body of a DELETE. Returns 400 if both are missing or they differ. Succeeds if there is no reaction.',
	auth: 'member',
	audit: 'none: content',
	openBody: openBySpecification,
	query: z.object({ reactable_type: ReactableType.optional(), reactable_id: pathInt.optional() }),
	body: z.object(target),
	bodyOptional: true,
	response: Success,
})

export const MemberReaction = z
	.object({
		id: Id,
		reaction: z.string(),
		created_at: Timestamp,
		community_member_id: CommunityMemberId,
		name: z.string(),
		avatar_url: z.string().nullable(),
	})
	.meta({ id: 'MemberReaction' })
export type MemberReaction = z.infer<typeof MemberReaction>

export const listPostReactions = operation({
	id: 'listPostReactions',
	method: 'get',
	path: '/api/headless/v1/posts/{postId}/reactions',
	summary: 'List the reactions to a post with their members, by emoji',
	auth: 'member',
	params: z.object({ postId: pathInt }),
	query: ListQuery,
	response: openListSchema(MemberReaction),
})

export const listCommentReactions = operation({
	id: 'listCommentReactions',
	method: 'get',
	path: '/api/headless/v1/comments/{commentId}/reactions',
	summary: 'List the reactions to a comment with their members, by emoji',
	auth: 'member',
	params: z.object({ commentId: pathInt }),
	query: ListQuery,
	response: openListSchema(MemberReaction),
})

import { z } from 'zod'
import { pathInt, Timestamp } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { Author, hiddenFields, Id, ListQuery, openListSchema, SpaceRef, Success } from '../fields.ts'

const operation = describeOperations('Community: moderation')
const PostParams = z.object({ postId: pathInt })
const CommentParams = z.object({ commentId: pathInt })
const MemberParams = z.object({ memberId: pathInt })
const requiredRole = 'Requires the role moderator, admin or owner.'

const ContentType = z.enum(['Post', 'Comment'])
export type ContentType = z.infer<typeof ContentType>

export const flagContent = operation({
	id: 'flagContent',
	method: 'post',
	path: '/api/headless/v1/flagged_contents',
	summary: 'Flag a post or comment for the moderators',
	description: 'A member can flag the same content once; repeating the call (200) changes nothing.',
	auth: 'member',
	audit: 'none: content',
	bodyWrapper: 'flagged_content',
	circleBody: {
		sign: 'flagged_contentable_id',
		schema: z
			.strictObject({
				flagged_contentable_type: ContentType,
				flagged_contentable_id: z.int(),
				reported_reason_type: z.enum([
					'harassment',
					'spam',
					'incorrect_location',
					'against_guidelines',
					'other',
				]),
				reported_reason_body: z.string().trim().max(950).default(''),
			})
			.transform((flag) => ({
				content_type: flag.flagged_contentable_type,
				content_id: flag.flagged_contentable_id,
				reason: [flag.reported_reason_type.replace('_', ' '), flag.reported_reason_body]
					.filter((part) => part !== '')
					.join(': '),
			})),
	},
	body: z.object({
		content_type: ContentType,
		content_id: z.int(),
		reason: z.string().trim().min(1).max(1000),
	}),
	status: 201,
	statusIfExists: 200,
	response: Success,
})

export const Flag = z
	.object({
		id: Id,
		content_type: ContentType,
		content_id: Id,
		post_id: Id.meta({
			description: 'The id of the flagged post, or of the post that the flagged comment belongs to',
		}),
		reason: z.string(),
		created_at: Timestamp,
		dismissed_at: Timestamp.nullable(),
		state: z.enum(['shown', 'hidden', 'removed']).meta({ description: 'The state of the flagged content' }),
		excerpt: z.string().meta({ description: 'Empty for a comment that was deleted for good' }),
		author: Author.meta({ description: 'The author of the flagged content; null if the user was deleted' }),
		reporter: Author,
		space: SpaceRef,
	})
	.meta({ id: 'Flag' })
export type Flag = z.infer<typeof Flag>

export const listFlags = operation({
	id: 'listFlags',
	method: 'get',
	path: '/api/headless/v1/flagged_contents',
	summary: 'List flags, newest first',
	description: `${requiredRole} Lists flags from the spaces that the caller can see. A flag is open if it was not dismissed and its content is still visible.`,
	auth: 'member',
	query: ListQuery.extend({
		status: z.enum(['open', 'all']).default('open'),
		content_type: ContentType.optional(),
		content_id: pathInt.optional().meta({ description: 'Requires `content_type`' }),
	}).refine(({ content_type, content_id }) => content_id === undefined || content_type !== undefined, {
		path: ['content_id'],
		message: 'send content_type too',
	}),
	response: openListSchema(Flag),
})

export const dismissFlag = operation({
	id: 'dismissFlag',
	method: 'post',
	path: '/api/headless/v1/flagged_contents/{flagId}/dismiss',
	summary: 'Dismiss all flags of a post or comment',
	description: requiredRole,
	auth: 'member',
	audit: 'none: content',
	params: z.object({ flagId: pathInt }),
	response: Success,
})

export const HiddenContent = z
	.object({
		content_type: ContentType,
		content_id: Id,
		post_id: Flag.shape.post_id,
		hidden_at: Timestamp,
		hidden_reason: hiddenFields.hidden_reason,
		excerpt: z.string(),
		author: Author,
		space: SpaceRef,
	})
	.meta({ id: 'HiddenContent' })
export type HiddenContent = z.infer<typeof HiddenContent>

export const listHidden = operation({
	id: 'listHidden',
	method: 'get',
	path: '/api/headless/v1/hidden_contents',
	summary: 'List hidden posts and comments, most recently hidden first',
	description: `${requiredRole} Lists content from the spaces that the caller can see. Replies that were hidden with their comment are not listed; they are restored with it.`,
	auth: 'member',
	query: ListQuery,
	response: openListSchema(HiddenContent),
})

const Hiding = z.object({ reason: z.string().trim().min(1).max(1000).nullable().default(null) })

export const hidePost = operation({
	id: 'hidePost',
	method: 'post',
	path: '/api/headless/v1/posts/{postId}/hide',
	summary: 'Hide a post from all members but its author',
	description: `${requiredRole} The author gets a notification, and can still read it with the reason, as moderators can. To remove it for good, delete it instead.`,
	auth: 'member',
	audit: 'none: content',
	params: PostParams,
	body: Hiding,
	bodyOptional: true,
	response: Success,
})

export const restorePost = operation({
	id: 'restorePost',
	method: 'post',
	path: '/api/headless/v1/posts/{postId}/restore',
	summary: 'Restore a hidden post with its comments and reactions',
	description: requiredRole,
	auth: 'member',
	audit: 'none: content',
	params: PostParams,
	response: Success,
})

export const hideComment = operation({
	id: 'hideComment',
	method: 'post',
	path: '/api/headless/v1/comments/{commentId}/hide',
	summary: 'Hide a comment and its replies',
	description: `${requiredRole} The authors get a notification, and can still read them, as moderators can. Only the comment shows the reason; its replies say that the comment above was hidden. To remove it for good, delete it instead.`,
	auth: 'member',
	audit: 'none: content',
	params: CommentParams,
	body: Hiding,
	bodyOptional: true,
	response: Success,
})

export const restoreComment = operation({
	id: 'restoreComment',
	method: 'post',
	path: '/api/headless/v1/comments/{commentId}/restore',
	summary: 'Restore a hidden comment and the replies that were hidden with it',
	description: requiredRole,
	auth: 'member',
	audit: 'none: content',
	params: CommentParams,
	response: Success,
})

export const banMember = operation({
	id: 'banMember',
	method: 'post',
	path: '/api/headless/v1/community_members/{memberId}/ban',
	summary: 'Ban a member',
	description: `${requiredRole} The member must have a lower role than the caller (403). The member loses access at once; their posts and comments are kept. Their places at events that have not ended go to the waitlist and are not given back.`,
	auth: 'member',
	audit: 'community_member.banned',
	params: MemberParams,
	response: Success,
})

export const unbanMember = operation({
	id: 'unbanMember',
	method: 'post',
	path: '/api/headless/v1/community_members/{memberId}/unban',
	summary: 'Unban a member',
	description: `${requiredRole} The member must have a lower role than the caller (403).`,
	auth: 'member',
	audit: 'community_member.unbanned',
	params: MemberParams,
	response: Success,
})

import { z } from 'zod'
import { event } from '../kit/event.ts'
import { RsvpStatus } from './member/events.ts'

const community = { communityId: z.int() }
const member = z.object({ ...community, memberId: z.int() })
const post = z.object({ ...community, postId: z.int() })
const meeting = z.object({ ...community, eventId: z.int() })
const comment = post.extend({ commentId: z.int() })
/** One of the two ids of the content is null. */
const flag = z.object({
	...community,
	flagId: z.int(),
	postId: z.int().nullable(),
	commentId: z.int().nullable(),
})

/** Comments on videos are `comment` events. */
const commentEvents = [
	event({
		name: 'post_comment.created',
		payload: comment,
		urgency: 'none',
		org: 'optional',
		public: { summary: 'A post got a comment', auth: 'admin', resource: 'commentId' },
	}),
	event({
		name: 'post_comment.updated',
		payload: comment,
		urgency: 'none',
		org: 'optional',
		public: { summary: 'A comment was changed', auth: 'admin', resource: 'commentId' },
	}),
	event({
		name: 'post_comment.deleted',
		payload: comment,
		urgency: 'none',
		org: 'optional',
		public: {
			summary: 'A comment was deleted',
			auth: 'admin',
			resource: 'commentId',
		},
	}),
	event({
		name: 'post_comment.hidden',
		payload: comment,
		urgency: 'none',
		org: 'optional',
		public: {
			summary: 'A comment and its replies were hidden',
			auth: 'admin',
			resource: 'commentId',
		},
	}),
	event({
		name: 'post_comment.restored',
		payload: comment,
		urgency: 'none',
		org: 'optional',
		public: {
			summary: 'A comment and its replies were restored',
			auth: 'admin',
			resource: 'commentId',
		},
	}),
] as const

export const communityEvents = [
	event({
		name: 'community.created',
		payload: z.object(community),
		urgency: 'none',
		org: 'optional',
	}),
	event({
		name: 'community.deleted',
		payload: z.object(community),
		urgency: 'none',
		org: 'optional',
	}),
	event({
		name: 'member.invited',
		payload: z.object({ ...community, invitationId: z.int() }),
		urgency: 'mail',
		org: 'optional',
	}),
	/** Also for a member who returns after leaving or a ban. */
	event({
		name: 'member.joined',
		payload: member,
		urgency: 'none',
		org: 'optional',
		public: { summary: 'A person joined a community', auth: 'read', resource: 'memberId' },
	}),
	event({
		name: 'member.left',
		payload: member,
		urgency: 'rest',
		org: 'optional',
		public: {
			summary: 'A member left a community, or was removed or banned',
			auth: 'read',
			resource: 'memberId',
		},
	}),
	/** Also recorded for a ban of an active member: `member.left`. */
	event({
		name: 'member.banned',
		payload: member,
		urgency: 'none',
		org: 'optional',
		public: { summary: 'A moderator banned a member', auth: 'admin', resource: 'memberId' },
	}),
	event({
		name: 'member.merged',
		payload: member,
		urgency: 'none',
		org: 'optional',
		public: { summary: 'A person took a managed membership over', auth: 'read', resource: 'memberId' },
	}),
	/** A membership was deleted. If it was active, `member.left` is recorded as well. */
	event({
		name: 'member.deleted',
		payload: z.object({ ...community, memberId: z.int(), userId: z.int(), removedAt: z.int() }),
		urgency: 'rest',
		org: 'optional',
	}),
	event({
		name: 'post.created',
		payload: post,
		urgency: 'none',
		org: 'optional',
		public: { summary: 'A post was published in a community', auth: 'admin', resource: 'postId' },
	}),
	event({
		name: 'post.updated',
		payload: post,
		urgency: 'none',
		org: 'optional',
		public: { summary: 'A post was changed', auth: 'admin', resource: 'postId' },
	}),
	event({
		name: 'post.deleted',
		payload: post,
		urgency: 'none',
		org: 'optional',
		public: {
			summary: 'A post was deleted',
			auth: 'admin',
			resource: 'postId',
		},
	}),
	event({
		name: 'post.hidden',
		payload: post,
		urgency: 'none',
		org: 'optional',
		public: { summary: 'A post was hidden', auth: 'admin', resource: 'postId' },
	}),
	event({
		name: 'post.restored',
		payload: post,
		urgency: 'none',
		org: 'optional',
		public: { summary: 'A hidden post was restored', auth: 'admin', resource: 'postId' },
	}),
	...commentEvents,
	event({
		name: 'event.created',
		payload: meeting,
		urgency: 'none',
		org: 'optional',
		public: { summary: 'An event was created in a community', auth: 'admin', resource: 'eventId' },
	}),
	event({
		name: 'event.updated',
		payload: meeting,
		urgency: 'none',
		org: 'optional',
		public: { summary: 'An event was changed', auth: 'admin', resource: 'eventId' },
	}),
	event({
		name: 'event.deleted',
		payload: meeting,
		urgency: 'none',
		org: 'optional',
		public: {
			summary: 'An event was deleted',
			auth: 'admin',
			resource: 'eventId',
		},
	}),
	event({
		name: 'rsvp.changed',
		payload: meeting.extend({ memberId: z.int(), status: RsvpStatus }),
		urgency: 'none',
		org: 'optional',
		public: {
			summary: 'A member got a place at an event or on its waitlist',
			auth: 'admin',
			resource: 'eventId',
		},
	}),
	event({
		name: 'rsvp.deleted',
		payload: meeting.extend({ memberId: z.int() }),
		urgency: 'none',
		org: 'optional',
		public: { summary: 'A member cancelled an RSVP', auth: 'admin', resource: 'eventId' },
	}),
	event({
		name: 'flag.created',
		payload: flag,
		urgency: 'none',
		org: 'optional',
		public: { summary: 'A member flagged a post or comment', auth: 'admin', resource: 'flagId' },
	}),
] as const

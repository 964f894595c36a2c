import { z } from 'zod'
import { event } from '../kit/event.ts'

const community = { communityId: z.int() }
const member = z.object({ ...community, memberId: z.int() })
const post = z.object({ ...community, postId: z.int() })
const meeting = z.object({ ...community, eventId: z.int() })

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
	event({ name: 'post.deleted', payload: post, urgency: 'none', org: 'optional' }),
	event({ name: 'post.hidden', payload: post, urgency: 'none', org: 'optional' }),
	event({ name: 'post.restored', payload: post, urgency: 'none', org: 'optional' }),
	event({
		name: 'post.commented',
		payload: post.extend({ commentId: z.int() }),
		urgency: 'none',
		org: 'optional',
	}),
	event({
		name: 'event.created',
		payload: meeting,
		urgency: 'none',
		org: 'optional',
		public: { summary: 'An event was created in a community', auth: 'admin', resource: 'eventId' },
	}),
	event({ name: 'event.deleted', payload: meeting, urgency: 'none', org: 'optional' }),
] as const

import { z } from 'zod'
import { operation } from '../operation.ts'
import { Id, Success } from './fields.ts'

const tag = 'Community: reactions'

const target = { reactable_type: z.enum(['Post', 'Comment', 'Image']), reactable_id: z.int() }

export const react = operation({
	id: 'react',
	method: 'post',
	path: '/api/headless/v1/reactions',
	tag,
	summary: 'React to a post, a comment or an image',
	description: 'A member has one reaction to each; another one takes its place.',
	auth: 'member',
	body: z.object({ ...target, reaction: z.string().trim().min(1).max(64).default('like') }),
	status: 200,
	response: z.object({ id: Id, reaction: z.string() }).meta({ id: 'Reaction' }),
})

export const unreact = operation({
	id: 'unreact',
	method: 'delete',
	path: '/api/headless/v1/reactions',
	tag,
	summary: 'Take a reaction back; succeeds when there is none',
	auth: 'member',
	body: z.object(target),
	status: 200,
	response: Success,
})

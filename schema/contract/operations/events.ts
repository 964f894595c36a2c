import { z } from 'zod'
import { event } from '../kit/event.ts'

const request = z.object({ requestId: z.string() })

export const operationEvents = [
	event({
		name: 'account.deletion_requested',
		payload: request,
		urgency: 'mail',
		org: 'none',
		revokes: true,
	}),
	event({
		name: 'account.deletion_cancelled',
		payload: request,
		urgency: 'mail',
		org: 'none',
		revokes: true,
	}),
	event({ name: 'account.erased', payload: request, urgency: 'rest', org: 'none' }),
] as const

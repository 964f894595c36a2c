import { z } from 'zod'
import { event } from '../kit/event.ts'
import { AuditEntryId } from '../kit/fields.ts'
import { AuditAction, TargetKind } from './audit/actions.ts'

export const SecondFactorChange = z.enum([
	'totp_added',
	'totp_removed',
	'passkey_added',
	'passkey_removed',
	'recovery_codes_replaced',
	'recovery_code_used',
	'reset',
])
export type SecondFactorChange = z.infer<typeof SecondFactorChange>

const endpoint = z.object({ endpointId: z.string() })

export const accountEvents = [
	event({
		name: 'audit.recorded',
		payload: z.object({
			auditEntryId: AuditEntryId,
			action: AuditAction,
			targetKind: TargetKind.nullable(),
			targetId: z.string().nullable(),
		}),
		urgency: 'none',
		public: {
			summary: 'An entry was added to the audit log of the organization, at most two minutes ago',
			auth: 'admin',
			resource: 'auditEntryId',
		},
	}),
	event({ name: 'org.created', payload: z.object({ userId: z.int() }), urgency: 'none' }),
	event({ name: 'org.member_invited', payload: z.object({ invitationId: z.string() }), urgency: 'mail' }),
	event({
		name: 'org.member_joined',
		payload: z.object({ userId: z.int(), role: z.string() }),
		urgency: 'mail',
	}),
	event({ name: 'org.member_removed', payload: z.object({ userId: z.int() }), urgency: 'none' }),
	/** A reason to suspend the organization was added. */
	event({ name: 'org.suspended', payload: z.object({ reason: z.string() }), urgency: 'job' }),
	event({ name: 'org.api_key_created', payload: z.object({ keyId: z.string() }), urgency: 'mail' }),
	/** Stripe reported a change of the organization's customer. */
	event({ name: 'billing.changed', payload: z.object({}), urgency: 'mail' }),
	/** A sign-in from a network or browser that is new for the account. */
	event({
		name: 'account.signed_in_anew',
		payload: z.object({ userId: z.int(), ip: z.string(), userAgent: z.string() }),
		urgency: 'mail',
		personal: ['ip', 'userAgent'],
		org: 'none',
	}),
	event({
		name: 'account.password_changed',
		payload: z.object({ userId: z.int(), change: z.enum(['set', 'replaced', 'removed']) }),
		urgency: 'mail',
		org: 'none',
		revokes: true,
	}),
	event({
		name: 'account.email_changed',
		payload: z.object({ userId: z.int(), formerEmail: z.string() }),
		urgency: 'mail',
		personal: ['formerEmail'],
		org: 'none',
		revokes: true,
	}),
	/** A second factor was added, changed or removed. */
	event({
		name: 'account.second_factor_changed',
		payload: z.object({
			userId: z.int(),
			change: SecondFactorChange,
			/** The passkey that was removed. A restored database is compared with it. */
			passkeyId: z.string().optional(),
		}),
		urgency: 'mail',
		org: 'none',
		revokes: true,
	}),
	/** A webhook endpoint began to fail, will soon be disabled, or was disabled. */
	event({ name: 'webhook.failing', payload: endpoint, urgency: 'mail' }),
	event({ name: 'webhook.disabled_soon', payload: endpoint, urgency: 'mail' }),
	event({ name: 'webhook.disabled', payload: endpoint, urgency: 'mail' }),
] as const

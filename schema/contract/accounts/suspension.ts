import { z } from 'zod'
import { data, OrgId } from '../kit/fields.ts'
import { describeOperations } from '../kit/operation.ts'

const operation = describeOperations('Operators')
const OrgParams = z.object({ orgId: OrgId })

/** Why an organization is suspended. It is a set, so that one reason can end while another remains. */
export const SuspensionReason = z.enum(['abuse', 'billing', 'operator'])
export type SuspensionReason = z.infer<typeof SuspensionReason>

const SuspensionState = z
	.object({
		orgId: OrgId,
		suspended: z.boolean().meta({ description: 'Whether a reason other than `billing` applies' }),
		suspensionReasons: z.array(SuspensionReason),
	})
	.meta({ id: 'SuspensionState' })

const body = z.object({ reason: SuspensionReason })

export const suspendOrg = operation({
	id: 'suspendOrg',
	method: 'post',
	path: '/v1/admin/orgs/{orgId}/suspend',
	summary: 'Suspend an organization for a reason',
	description:
		'`billing` refuses new uploads and encodes. `abuse` and `operator` refuse members and API keys, stop playback within a minute, take tasks from machines, end streams and hold webhooks. Nothing is deleted. A reason that applies already changes nothing.',
	auth: 'superadmin',
	audit: 'org.suspended',
	recentProof: true,
	params: OrgParams,
	body,
	response: data(SuspensionState),
	errors: ['not_found'],
})

export const unsuspendOrg = operation({
	id: 'unsuspendOrg',
	method: 'post',
	path: '/v1/admin/orgs/{orgId}/unsuspend',
	summary: 'Lift one reason for which an organization is suspended',
	description:
		'Once no reason is left, everything works as before: waiting tasks are claimed, and held webhooks are delivered. A reason that does not apply changes nothing.',
	auth: 'superadmin',
	audit: 'org.unsuspended',
	recentProof: true,
	params: OrgParams,
	body,
	response: data(SuspensionState),
	errors: ['not_found'],
})

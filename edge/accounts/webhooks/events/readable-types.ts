import { adminEventTypes, type PublicEventType, publicEventTypes } from '#schema/contract/public-events.ts'
import type { OrgCaller } from '../../../http/caller.ts'
import { forbiddenError, isOrgAdmin } from '../../../http/org-callers.ts'

type Types = readonly PublicEventType[] | undefined

const isForAdmins = (type: PublicEventType): boolean => adminEventTypes.includes(type)

/** Returns which of the requested event types a caller may read; undefined stands for all. */
export function listReadableTypes(caller: OrgCaller, requested: Types): Types {
	if (isOrgAdmin(caller)) return requested
	const refused = requested?.filter(isForAdmins) ?? []
	if (refused.length > 0)
		throw forbiddenError(
			`types: ${refused.join(', ')} can be read only with the role admin or owner, or with the scope admin`,
		)
	return requested ?? publicEventTypes.filter((type) => !isForAdmins(type))
}

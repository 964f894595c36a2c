import { revokingActions } from '#schema/contract/accounts/audit/actions.ts'
import { revokingEvents } from '#schema/contract/events.ts'

const revoking: ReadonlySet<string> = new Set([...revokingActions, ...revokingEvents])

export const isRevoking = (what: string): boolean => revoking.has(what)

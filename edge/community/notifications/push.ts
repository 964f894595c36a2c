import type { NotificationKind } from '#schema/contract/community/member/notifications.ts'

/** Announces a notification without its content. Clients read the content from the list, which checks visibility. */
export type Push = { id: number; kind: NotificationKind }
export type PushTo = Push & { membershipId: number }

import { z } from 'zod'
import { pathInt } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { Success } from '../fields.ts'
import { MAX_COUNTED, Notification } from './notifications.ts'

const operation = describeOperations('Community: notifications')
const params = z.object({ notificationId: pathInt })

export const getNotification = operation({
	id: 'getNotification',
	method: 'get',
	path: '/api/headless/v1/notifications/{notificationId}',
	summary: 'Get a notification of the caller',
	description: "Returns 404 for a notification about content that the caller can't see.",
	auth: 'member',
	params,
	response: Notification,
})

export const archiveNotification = operation({
	id: 'archiveNotification',
	method: 'post',
	path: '/api/headless/v1/notifications/{notificationId}/archive',
	summary: 'Archive a notification',
	description:
		'Marks it as read and moves it out of the list; `status=archived` lists it. Succeeds if it was already archived.',
	auth: 'member',
	audit: 'none: own membership',
	params,
	response: Success,
})

export const deleteNotification = operation({
	id: 'deleteNotification',
	method: 'delete',
	path: '/api/headless/v1/notifications/{notificationId}',
	summary: 'Delete a notification',
	auth: 'member',
	audit: 'none: own membership',
	params,
	response: Success,
})

const NewNotifications = z
	.object({
		new_notifications_count: z.int().nonnegative().max(MAX_COUNTED),
		new_mentions_count: z.literal(0).meta({ description: 'There are no mentions' }),
		new_inbox_count: z.literal(0).meta({ description: 'There are no direct messages' }),
	})
	.meta({ id: 'NewNotifications' })

export const countNewNotifications = operation({
	id: 'countNewNotifications',
	method: 'get',
	path: '/api/headless/v1/notifications/new_notifications_count',
	summary: 'Count the notifications since the last reset',
	description: `Counts unread ones about content that the caller can see, up to ${MAX_COUNTED}. \`POST /api/headless/v1/notifications/reset_new_notifications_count\` resets the number and leaves them unread.`,
	auth: 'member',
	response: NewNotifications,
})

export const resetNewNotifications = operation({
	id: 'resetNewNotifications',
	method: 'post',
	path: '/api/headless/v1/notifications/reset_new_notifications_count',
	summary: 'Reset the number of new notifications',
	description: 'The notifications stay unread.',
	auth: 'member',
	audit: 'none: own membership',
	response: NewNotifications,
})

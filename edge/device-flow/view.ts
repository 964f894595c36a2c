import type { DeviceRequest } from '#schema/contract/platform/device-flow.ts'
import { iso } from '../platform/clock.ts'
import { neighborhoodOf } from '../platform/network/network.ts'
import { placeOf } from '../platform/network/place.ts'
import type { DeviceRequestRow } from './store.ts'

export const viewRequest = (row: DeviceRequestRow, viewerIp: string): DeviceRequest => ({
	clientId: row.clientId,
	deviceName: row.deviceName,
	scopes: row.scopes,
	place: placeOf(row),
	sameNetwork: neighborhoodOf(row.ip) === neighborhoodOf(viewerIp),
	createdAt: iso(row.createdAt),
	expiresAt: iso(row.expiresAt),
})

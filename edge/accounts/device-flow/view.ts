import type { DeviceRequest } from '#schema/contract/accounts/device-flow.ts'
import { iso } from '../../platform/clock.ts'
import { placeOf } from '../../platform/network/place.ts'
import { isSameNetwork } from '../../platform/network/same-network.ts'
import type { DeviceRequestRow } from './store.ts'

export const viewRequest = (row: DeviceRequestRow, viewerIp: string): DeviceRequest => ({
	clientId: row.clientId,
	deviceName: row.deviceName,
	scopes: row.scopes,
	place: placeOf(row),
	sameNetwork: isSameNetwork(row.ip, viewerIp),
	createdAt: iso(row.createdAt),
	expiresAt: iso(row.expiresAt),
})

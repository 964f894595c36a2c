export * from './assets.ts'
export * from './fleet.ts'
export * from './identity.ts'
export * from './platform.ts'

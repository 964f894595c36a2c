import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { FileStore } from '@tus/file-store'
import { Server } from '@tus/server'

/** Runs the reference server on a file store, as its own process: `node tus-node.ts DIRECTORY`. */
const [directory = ''] = process.argv.slice(2)
const server = new Server({ path: '/files', datastore: new FileStore({ directory }) })
const http = createServer((request, response) => void server.handle(request, response))
http.listen(0, '127.0.0.1', () => console.log((http.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())

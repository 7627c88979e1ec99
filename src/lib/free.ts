/**
 * Gives the memory of bytes back at once; for whoever alone holds them, and reads them no more. What is left to the garbage collector
 * stays until objects are many, and a few large buffers are few objects.
 */
export function free(bytes: Uint8Array): void {
  // A part of a buffer: the rest of it is somebody's.
  if (bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength) bytes.buffer.transfer(0)
}

// Errors a store throws on purpose. Two families: an answer to a request that cannot be met, which
// HTTP passes on with its status, and a database that cannot be used, which ends the start-up.

/** An error that knows the HTTP status of its answer. */
export class SkeinHttpError extends Error {
  override readonly name = "SkeinHttpError";
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }

  static badRequest(message: string, options?: ErrorOptions): SkeinHttpError {
    return new SkeinHttpError(400, message, options);
  }

  static unauthorized(message: string, options?: ErrorOptions): SkeinHttpError {
    return new SkeinHttpError(401, message, options);
  }

  static forbidden(message: string, options?: ErrorOptions): SkeinHttpError {
    return new SkeinHttpError(403, message, options);
  }

  static notFound(message: string, options?: ErrorOptions): SkeinHttpError {
    return new SkeinHttpError(404, message, options);
  }

  static conflict(message: string, options?: ErrorOptions): SkeinHttpError {
    return new SkeinHttpError(409, message, options);
  }

  static unprocessable(message: string, options?: ErrorOptions): SkeinHttpError {
    return new SkeinHttpError(422, message, options);
  }

  static notImplemented(message: string, options?: ErrorOptions): SkeinHttpError {
    return new SkeinHttpError(501, message, options);
  }
}

/** What is wrong with a database, for a caller that wants to react rather than to read. */
export type DatabaseErrorCode = "not_a_database" | "cannot_open" | "cannot_connect";

/** A database that the store cannot use; the message says which one and what to do about it. */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  readonly code: DatabaseErrorCode;

  constructor(code: DatabaseErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

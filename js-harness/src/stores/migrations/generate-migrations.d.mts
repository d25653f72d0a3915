/** The text of `migrations.generated.ts`, from the SQL sources as they are now. */
export function compileMigrations(): string;

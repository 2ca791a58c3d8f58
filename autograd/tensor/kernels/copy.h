// Copies, conversions and fills; and the choice between two tensors by a third.
//
//   Tensor c = kernels::Cast(a, DType::kI64);      // fresh, contiguous
//   kernels::CopyInto(target, source);             // broadcasts, strided, any overlap
//
// All element types. No history is recorded and no version is bumped. Any thread.

#pragma once

#include "autograd/tensor/tensor.h"

namespace twingrad::kernels {

// A fresh contiguous copy on the same device, or on `device`. Clone takes sparse tensors too; the
// others refuse them.
Tensor Clone(const Tensor& a);
Tensor CopyTo(const Tensor& a, Device device);

// a itself where it is contiguous, else a copy that is.
inline Tensor Contiguous(const Tensor& a) { return a.IsContiguous() ? a : kernels::Clone(a); }

// Where the host is to write elements that tensors on `device` will read: there, or on the CPU
// where it cannot. MovedTo brings them there.
//
//   Tensor numbers = Tensor::Empty({3}, DType::kI64, HostSide(device));   // written, then:
//   numbers = MovedTo(numbers, device);
Device HostSide(Device device);
Tensor MovedTo(const Tensor& a, Device device);

// A fresh contiguous copy with another element type: rounded once to a float; float to integer
// saturates and turns NaN into 0, i64 to i32 keeps the low 32 bits, anything but 0 is true.
Tensor Cast(const Tensor& a, DType dtype);

// Writes source, broadcast to target's shape and cast to its type. Source is read before target is
// written where they share storage. Devices may differ.
void CopyInto(Tensor& target, const Tensor& source);

// Sets every element to `value`, cast as Cast does.
void FillInto(Tensor& target, double value);

// condition ? a : b, all three broadcast. `condition` is bool; a and b have one type.
Tensor Where(const Tensor& condition, const Tensor& a, const Tensor& b);

}  // namespace twingrad::kernels

// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// A token of which anyone may make as much as he likes, and whose transfers behave as it was told.
contract OddToken {
    enum Behaviour {
        Usual,
        Silent,
        Refusing,
        Calling
    }

    Behaviour private immutable _behaviour;
    mapping(address => uint256) public balanceOf;
    address private _target;
    bytes private _data;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor(Behaviour behaviour) {
        _behaviour = behaviour;
    }

    function make(address holder, uint256 value) external {
        balanceOf[holder] += value;
    }

    /// Each transfer makes this call first.
    function order(address target, bytes calldata data) external {
        (_target, _data) = (target, data);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        if (_behaviour == Behaviour.Refusing) return false;
        if (_behaviour == Behaviour.Calling) {
            (bool succeeded,) = _target.call(_data);
            succeeded;
        }
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
        if (_behaviour == Behaviour.Silent) {
            assembly ("memory-safe") {
                return(0, 0)
            }
        }
        return true;
    }
}
